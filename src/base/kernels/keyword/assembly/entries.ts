/** Entries of the vocabulary of a segment, one after the other, as refs: where the occurrences of each term are. */
import { at, readFrom, readNumber } from "../../shared/assembly/reading";
import { Ref } from "./layout";
import { behindFields, REF_BYTES, setSize, useSets } from "./term";

/** Where the postings and positions of the entry behind the last one read begin; the entry itself is at `at` of reading.ts. */
export let postingsBehind: usize = 0;
export let positionsBehind: usize = 0;

/**
 * Reads the entry at an address and those behind it: passes the first `skipped`, writes refs of the next `count`.
 * `postings` and `positions` are where those of the first entry begin. Returns the rows of all terms written, those of
 * several counted several times. Whoever reads positions afterwards has to say again where the fields of sets are (`useSets`).
 */
export function refsOfEntries(
  entry: usize,
  skipped: u32,
  count: u32,
  postings: usize,
  positions: usize,
  setOffsets: usize,
  refs: usize,
): u32 {
  useSets(setOffsets, 0);
  readFrom(entry);
  let out = refs;
  let documents: u32 = 0;
  const all = skipped + count;
  for (let i: u32 = 0; i < all; i++) {
    const docCount = readNumber();
    let row: u32 = 0;
    let form: u32 = 0;
    let postingsOf: usize = 0;
    let positionsOf = positions;
    if (docCount === 1) {
      row = readNumber();
      form = readNumber();
      positionsOf = at;
      readFrom(behindFields(at, setSize(form >> 1), form & 1));
    } else {
      postingsOf = postings;
      postings += readNumber();
      positions += readNumber();
    }
    if (i < skipped) continue;
    const ref = changetype<Ref>(out);
    ref.docCount = docCount;
    ref.postings = <u32>postingsOf;
    ref.positions = <u32>positionsOf;
    ref.row = row;
    ref.form = form;
    out += REF_BYTES;
    documents += docCount;
  }
  postingsBehind = postings;
  positionsBehind = positions;
  return documents;
}
