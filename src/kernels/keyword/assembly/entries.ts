/** Entries of the vocabulary of a segment, one after the other, as refs: where the occurrences of each term are. */
import { setSize, useSets } from "./term";

const REF_BYTES: usize = 20;

let readAt: usize = 0;

/**
 * Reads the entry at `at` and those behind it: passes the first `skipped`, writes refs of the next `count`. `postings`
 * and `positions` are where those of the first entry begin. Returns the rows of all terms written, those of several
 * counted several times.
 */
export function refsOfEntries(
  at: usize,
  skipped: u32,
  count: u32,
  postings: usize,
  positions: usize,
  setOffsets: usize,
  refs: usize,
): u32 {
  useSets(setOffsets, 0);
  readAt = at;
  let out = refs;
  let documents: u32 = 0;
  const all = skipped + count;
  for (let i: u32 = 0; i < all; i++) {
    const docCount = varint();
    let row: u32 = 0;
    let form: u32 = 0;
    let postingsOf: usize = 0;
    let positionsOf = positions;
    if (docCount === 1) {
      row = varint();
      form = varint();
      positionsOf = readAt;
      passPositions(setSize(form >> 1), form & 1);
    } else {
      postingsOf = postings;
      postings += varint();
      positions += varint();
    }
    if (i < skipped) continue;
    store<u32>(out, docCount);
    store<u32>(out, <u32>postingsOf, 4);
    store<u32>(out, <u32>positionsOf, 8);
    store<u32>(out, row, 12);
    store<u32>(out, form, 16);
    out += REF_BYTES;
    documents += docCount;
  }
  return documents;
}

function varint(): u32 {
  let byte = <u32>load<u8>(readAt++);
  let value = byte & 0x7f;
  for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
    byte = load<u8>(readAt++);
    value |= (byte & 0x7f) << shift;
  }
  return value;
}

function passPositions(fields: u32, repeated: u32): void {
  let left = fields;
  while (left > 0) {
    let byte = <u32>load<u8>(readAt++);
    left -= 1 - (byte & repeated);
    while (byte >= 0x80) byte = load<u8>(readAt++);
  }
}
