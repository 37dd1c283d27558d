/** A walk over the terms of a segment in byte order, and over what is said of each. */
import { BLOCK_MASK, readNext, shared as sharedOfHead, suffix as suffixOfHead } from "../../dictionary/assembly/packed";
import { positionsBehind, postingsBehind, refsOfEntries } from "../../keyword/assembly/entries";
import { Ref } from "../../keyword/assembly/layout";
import { at, readFrom, readNumber } from "../../shared/assembly/reading";
import { allocate } from "../../shared/assembly/region";
import { Source } from "./layout";

const TERM_BYTES_MAX: usize = 256;

@unmanaged
export class Walk {
  source: Source;
  ordinal: u32;
  /** The term it stands on, and what of it is the same as in the one before. */
  bytes: usize;
  length: u32;
  shared: u32;
  /** Where the occurrences of that term are, once asked for. */
  ref: Ref;
  textAt: usize;
  entryAt: usize;
  postingsAt: usize;
  positionsAt: usize;
}

/** Stands before the first term. */
export function openWalk(walk: Walk, source: Source): void {
  walk.source = source;
  walk.ordinal = u32.MAX_VALUE;
  walk.bytes = allocate(TERM_BYTES_MAX);
  walk.length = 0;
  walk.ref = changetype<Ref>(allocate(offsetof<Ref>()));
  walk.textAt = source.text;
  walk.entryAt = source.entries;
  walk.postingsAt = source.postings;
  walk.positionsAt = source.positions;
}

/** To the next term; false when there is none. */
export function next(walk: Walk): bool {
  const ordinal = walk.ordinal + 1;
  walk.ordinal = ordinal;
  if (ordinal >= walk.source.termCount) return false;
  readFrom(walk.textAt);
  let shared: u32 = 0;
  let suffix: u32 = 0;
  if ((ordinal & BLOCK_MASK) === 0) {
    suffix = readNumber();
    const limit = min(walk.length, suffix);
    while (shared < limit && load<u8>(at + shared) === load<u8>(walk.bytes + shared)) shared++;
    readFrom(at + shared);
    suffix -= shared;
  } else {
    readNext();
    shared = sharedOfHead;
    suffix = suffixOfHead;
  }
  const from = at;
  const to = walk.bytes + shared;
  for (let i: u32 = 0; i < suffix; i++) store<u8>(to + i, load<u8>(from + i));
  walk.length = shared + suffix;
  walk.shared = shared;
  walk.textAt = from + suffix;
  return true;
}

/** Reads where the occurrences of the next entry are; entries are read one for each term. Returns the bytes of their positions. */
export function readRef(walk: Walk): u32 {
  const ref = walk.ref;
  const positionsAt = walk.positionsAt;
  const setOffsets = walk.source.setOffsets;
  refsOfEntries(walk.entryAt, 0, 1, walk.postingsAt, positionsAt, setOffsets, changetype<usize>(ref));
  walk.entryAt = at;
  walk.postingsAt = postingsBehind;
  walk.positionsAt = positionsBehind;
  // The positions of a term of one row are in its entry, and end where that does.
  return ref.docCount === 1 ? <u32>at - ref.positions : <u32>(positionsBehind - positionsAt);
}

/** Bytes of the positions of the term that has the most; an occurrence takes one of them at least. */
export function mostPositionBytes(walk: Walk): u32 {
  let most: u32 = 0;
  for (let i: u32 = 0; i < walk.source.termCount; i++) most = max(most, readRef(walk));
  walk.entryAt = walk.source.entries;
  walk.postingsAt = walk.source.postings;
  walk.positionsAt = walk.source.positions;
  return most;
}
