/** Words of the index that a search comes across, each found once: where its occurrences are in every segment. */

import { termFind } from "../../dictionary/assembly/seek";
import { termText } from "../../dictionary/assembly/walk";
import { bitAt } from "../../keyword/assembly/bits";
import { refsOfEntries } from "../../keyword/assembly/entries";
import {
  codeBits,
  docCount,
  formCount,
  isDense,
  onlyRow,
  open,
  REF_BYTES,
  rowsAt,
  term,
} from "../../keyword/assembly/term";
import { findInGaps } from "../../keyword/assembly/visit";
import { characterBytes, codePointAt } from "../../shared/assembly/characters";
import { index, segmentAt, segmentCount, termsOf } from "./index-of";
import { Segment } from "./layout";
import { keep, keepZeros, mark, release, stack } from "./room";

export const WORD_BYTES_MAX: u32 = 250;
const BUCKETS: u32 = 256;
/** Room for a term, whatever it is. */
export const TERM_BYTES: usize = 256;

/** Code points side by side. */
@unmanaged
class CodePoints {
  first: u32;
  last: u32;
}

/** A word of the index, or one that was looked for and is in no live document. */
@unmanaged
export class Word {
  text: usize;
  length: u32;
  next: usize;
  exists: u32;
  /** In some place where typos are tolerated. */
  isTolerant: u32;
  /** Numbers that tolerate no typos anywhere. */
  isExactNumber: u32;
  /** Documents that hold it, or held it before they were deleted. */
  documents: u32;
  /** By segment; -1 where it is absent. */
  ordinals: usize;
  /** By segment; of no rows where it is absent. */
  refs: usize;

  @inline
  ordinal(segment: u32): i32 {
    return load<i32>(this.ordinals + ((<usize>segment) << 2));
  }

  @inline
  ref(segment: u32): usize {
    return this.refs + <usize>segment * REF_BYTES;
  }

  @inline
  rows(segment: u32): u32 {
    return load<u32>(this.ref(segment));
  }
}

let buckets: usize = 0;

export function openWords(): void {
  buckets = keepZeros((<usize>BUCKETS) << 2);
}

/** Where the sixteen terms of a block are: see `storage/segment/terms/format.ts`. */
@unmanaged
class TermBlock {
  text: u32;
  entries: u32;
  postings: u32;
  positions: u32;
}

function blockOf(segment: Segment, ordinal: u32): TermBlock {
  return changetype<TermBlock>(segment.termBlocks + <usize>(ordinal >> 4) * offsetof<TermBlock>());
}

/** Writes where the occurrences of a term are. */
export function refOf(segment: Segment, ordinal: u32, out: usize): u32 {
  const block = blockOf(segment, ordinal);
  return refsOfEntries(
    segment.entries + block.entries,
    ordinal & 15,
    1,
    segment.postings + block.postings,
    segment.positions + block.positions,
    segment.setOffsets,
    out,
  );
}

/** The same of terms `[from, to)`; returns the rows of all of them. */
export function refsBetween(segment: Segment, from: u32, to: u32, out: usize): u32 {
  if (from === to) return 0;
  const block = blockOf(segment, from);
  return refsOfEntries(
    segment.entries + block.entries,
    from & 15,
    to - from,
    segment.postings + block.postings,
    segment.positions + block.positions,
    segment.setOffsets,
    out,
  );
}

/** The word with these bytes, which must last; made when it is met first. */
export function findWord(text: usize, length: u32): Word {
  let hash: u32 = 2166136261;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ <u32>load<u8>(text + i)) * 16777619;
  const bucket = buckets + ((<usize>((hash ^ (hash >> 8)) & (BUCKETS - 1))) << 2);
  for (let at = <usize>load<u32>(bucket); at !== 0; at = changetype<Word>(at).next) {
    const known = changetype<Word>(at);
    if (known.length === length && memory.compare(known.text, text, length) === 0) return known;
  }
  const word = changetype<Word>(keepZeros(offsetof<Word>()));
  word.text = text;
  word.length = length;
  word.next = load<u32>(bucket);
  store<u32>(bucket, <u32>changetype<usize>(word));
  word.ordinals = keep((<usize>segmentCount) << 2);
  word.refs = keepZeros(<usize>segmentCount * REF_BYTES);
  look(word);
  return word;
}

/** The word of a term of a segment. */
export function wordOfTerm(segment: Segment, ordinal: u32): Word {
  const before = mark();
  const text = stack(TERM_BYTES);
  const length = termText(termsOf(segment), ordinal, text);
  const kept = keep(length);
  memory.copy(kept, text, length);
  release(before);
  return findWord(kept, length);
}

function look(word: Word): void {
  const length = word.length;
  const text = word.text;
  const isIndexable = length > 0 && length <= WORD_BYTES_MAX;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    const ordinal = isIndexable ? termFind(termsOf(segment), 0, segment.termCount, text, length) : -1;
    store<i32>(word.ordinals + ((<usize>i) << 2), ordinal);
    if (ordinal !== -1) word.documents += refOf(segment, ordinal, word.ref(i));
  }
  word.isExactNumber = index.limitsNumbers !== 0 && isNumeric(text, length) ? 1 : 0;
  judge(word);
}

function judge(word: Word): void {
  const mayTolerate = word.isExactNumber === 0;
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (word.ordinal(i) === -1) continue;
    const segment = segmentAt(i);
    if (word.exists === 0 && (segment.hasDeletes === 0 || isLive(i, word.ref(i), 0))) word.exists = 1;
    if (mayTolerate && word.isTolerant === 0) {
      const sets = segment.tolerantSets;
      word.isTolerant = sets === 0 ? word.exists : isLive(i, word.ref(i), sets) ? 1 : 0;
    }
    if (word.exists !== 0 && (word.isTolerant !== 0 || !mayTolerate)) return;
  }
}

let liveAt: usize = 0;
let marksAt: usize = 0;

/** Whether some live row of a term has a field set that is marked. */
function isLive(i: u32, ref: usize, marks: usize): bool {
  const segment = segmentAt(i);
  open(ref);
  liveAt = index.live + segment.setAt;
  marksAt = marks;
  if (segment.hasDeletes === 0) {
    if (codeBits === 0) return load<u8>(marks + (term.formAt(0) >> 1)) !== 0;
    for (let code: u32 = 0; code < formCount; code++) if (load<u8>(marks + (term.formOf(code) >> 1)) !== 0) return true;
    return false;
  }
  if (docCount === 1) return isLiveAt(onlyRow, 0);
  if (!isDense) return findInGaps<Live>();
  let rank: u32 = 0;
  for (let byte: u32 = 0; rank < docCount; byte += 8) {
    for (let word = load<u64>(rowsAt + byte); word !== 0 && rank < docCount; word &= word - 1, rank++) {
      if (isLiveAt((byte << 3) + <u32>ctz(word), rank)) return true;
    }
  }
  return false;
}

class Live {
  @inline
  isFound(row: u32, rank: u32): bool {
    return isLiveAt(row, rank);
  }
}

function isLiveAt(row: u32, rank: u32): bool {
  if (bitAt(liveAt, row) === 0) return false;
  return marksAt === 0 || load<u8>(marksAt + (term.formAt(rank) >> 1)) !== 0;
}

/** Nothing but numbers and ASCII punctuation. */
export function isNumeric(text: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; ) {
    const letter = codePointAt(text + i);
    if (!isPunctuation(letter) && !isNumber(letter)) return false;
    i += characterBytes(load<u8>(text + i));
  }
  return length > 0;
}

function isPunctuation(letter: u32): bool {
  return letter > 0x20 && letter < 0x7f && !isAlphanumeric(letter);
}

function isAlphanumeric(letter: u32): bool {
  return (letter >= 0x30 && letter <= 0x39) || ((letter | 0x20) >= 0x61 && (letter | 0x20) <= 0x7a);
}

function numberRange(i: u32): CodePoints {
  return changetype<CodePoints>(<usize>index.numberRanges + <usize>i * offsetof<CodePoints>());
}

function isNumber(letter: u32): bool {
  let low: u32 = 0;
  let high = index.numberRangeCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberRange(middle).last < letter) low = middle + 1;
    else high = middle;
  }
  return low < index.numberRangeCount && numberRange(low).first <= letter;
}
