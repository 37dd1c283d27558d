/**
 * Which documents have words in a range of the vocabulary, and where they stand: from the words of each row in their order,
 * see `storage/segment/forward/format.ts`. What it takes grows with the documents that are looked at, however many words there are.
 */
import { rowAt } from "../../keyword/assembly/bits";
import { ByteRange } from "../../shared/assembly/byte-range";
import {
  NARROW_BYTES,
  NARROW_GAP_BITS,
  Narrow,
  VALUE_MASK,
  WIDE_BYTES,
  WIDE_GAP_BITS,
  Wide,
} from "../../shared/assembly/forward";
import { spend, timeIsUp } from "./clock";
import { segmentAt } from "./index-of";
import { Segment } from "./layout";
import { keepWhere } from "./lines";
import { roomLeft, stack } from "./room";
import { Docs } from "./sets";

/** Kernels read, and do not use, a few places behind the last. */
const PLACES_MARGIN: usize = 64;

let startsAt: usize = 0;
let wordsAt: usize = 0;
/** Words of the range are at most `span` above `lowest`. */
let lowest: u32 = 0;
let span: u32 = 0;

/** Whether a segment tells the words of its rows. */
export function hasForward(segment: Segment): bool {
  return segment.forwardStarts !== 0;
}

/** Rows of so many words, as far as one can tell from all of them, are looked through as quickly as two words are met. */
const SHORT_ROW_WORDS: u32 = 32;

export function areShort(segment: Segment): bool {
  return load<u32>(segment.forwardStarts + ((<usize>segment.rows) << 2)) <= segment.rows * SHORT_ROW_WORDS;
}

/** Whether words take three bytes each, not four. */
let isNarrow: bool = false;

function useRange(segment: Segment, from: u32, to: u32): void {
  startsAt = segment.forwardStarts;
  wordsAt = segment.forwardWords;
  isNarrow = segment.forwardWordBytes === NARROW_BYTES;
  const gapBits = isNarrow ? NARROW_GAP_BITS : WIDE_GAP_BITS;
  lowest = from << gapBits;
  span = ((to - from) << gapBits) - 1;
  if (from === to) {
    // No word is as high as that.
    lowest = u32.MAX_VALUE;
    span = 0;
  }
}

/** Which words are those of a row. */
function rangeOf(row: u32): ByteRange {
  return changetype<ByteRange>(startsAt + ((<usize>row) << 2));
}

function wordAt<Words>(number: u32): usize {
  return wordsAt + <usize>number * changetype<Words>(<usize>0).bytes;
}

/** Adds the rows of a segment in `within` that have a word of `[from, to)` to a set. */
export function addRowsOfRange(i: u32, from: u32, to: u32, within: usize, set: usize): void {
  const segment = segmentAt(i);
  useRange(segment, from, to);
  if (isNarrow) keepWhere<HasWord<Narrow>>(segment, within, set);
  else keepWhere<HasWord<Wide>>(segment, within, set);
}

class HasWord<Words> {
  @inline
  test(row: u32): bool {
    const words = changetype<Words>(<usize>0);
    let at = wordAt<Words>(rangeOf(row).start);
    const end = wordAt<Words>(rangeOf(row).end);
    const step = 4 * words.bytes;
    for (; at + 2 * step <= end; at += 2 * step) if (isAmongEight<Words>(at)) return true;
    if (at + step <= end) {
      if (v128.any_true(amongFour<Words>(at))) return true;
      at += step;
    }
    return isAmong<Words>(at, end);
  }
}

/** The word that others follow, without its gap. */
let before: u32 = 0;

/** Adds the rows of a segment in `within` where a word of `[from, to)` stands right behind a word to a set. */
export function addRowsFollowed(i: u32, word: u32, from: u32, to: u32, within: usize, set: usize): void {
  const segment = segmentAt(i);
  useRange(segment, from, to);
  before = word << (isNarrow ? NARROW_GAP_BITS : WIDE_GAP_BITS);
  if (isNarrow) keepWhere<IsFollowed<Narrow>>(segment, within, set);
  else keepWhere<IsFollowed<Wide>>(segment, within, set);
}

class IsFollowed<Words> {
  @inline
  test(row: u32): bool {
    const words = changetype<Words>(<usize>0);
    let at = wordAt<Words>(rangeOf(row).start);
    const end = wordAt<Words>(rangeOf(row).end);
    const step = 4 * words.bytes;
    const gap: u32 = (1 << words.gapBits) - 1;
    for (; at + step + words.bytes <= end; at += step) {
      const isFirst = i32x4.eq(v128.and(words.four(at), i32x4.splat(~gap)), i32x4.splat(before));
      if (!v128.any_true(isFirst)) continue;
      const next = words.four(at + words.bytes);
      const isNext = i32x4.eq(v128.and(next, i32x4.splat(gap)), i32x4.splat(1));
      if (v128.any_true(v128.and(isFirst, v128.and(isNext, among(next))))) return true;
    }
    for (; at + words.bytes < end; at += words.bytes) {
      const next = words.one(at + words.bytes);
      if ((words.one(at) & ~gap) === before && (next & gap) === 1 && next - lowest <= span) return true;
    }
    return false;
  }
}

/**
 * Writes to the stack where the words of `[from, to)` stand in the documents of a segment, ascending: `placeStarts` has one
 * number more than there are documents. Documents that there was no time for have none.
 */
export let placeStarts: usize = 0;
export let places: usize = 0;

export function placesOfRange(docs: Docs, i: u32, from: u32, to: u32): u32 {
  useRange(segmentAt(i), from, to);
  const list = docs.listOf(i);
  const n = docs.countOf(i);
  placeStarts = stack((<usize>n + 1) << 2);
  places = stack(0);
  const room = places + roomLeft() - PLACES_MARGIN;
  let out = places;
  for (let p: u32 = 0; p < n; p++) {
    store<u32>(placeStarts + ((<usize>p) << 2), <u32>((out - places) >> 2));
    if (timeIsUp) continue;
    if (p % AHEAD === 0) lookAhead(list, p, min(n, p + AHEAD), out);
    const words = rangeOf(rowAt(list, p));
    const begin = words.start;
    const end = words.end;
    if (out + ((<usize>(end - begin)) << 2) > room) unreachable();
    out = isNarrow ? writePlaces<Narrow>(begin, end, out) : writePlaces<Wide>(begin, end, out);
    spend((end - begin) >> 4);
  }
  const total = <u32>((out - places) >> 2);
  store<u32>(placeStarts + ((<usize>n) << 2), total);
  stack(out - places + PLACES_MARGIN);
  return total;
}

/** Rows of so many documents are brought into the cache together. */
const AHEAD: u32 = 16;
const LINE_BYTES: usize = 64;

/**
 * Rows lie far apart, and reading one after the other waits for memory at each. These reads do not depend on each other, so
 * they wait together. `sink`: what they give is of no use, but it must go somewhere for them to be done.
 */
function lookAhead(list: usize, from: u32, to: u32, sink: usize): void {
  const bytes: usize = isNarrow ? NARROW_BYTES : WIDE_BYTES;
  let sum: u32 = 0;
  for (let p = from; p < to; p++) {
    const words = rangeOf(rowAt(list, p));
    const begin = wordsAt + <usize>words.start * bytes;
    const end = wordsAt + <usize>words.end * bytes;
    sum += <u32>load<u8>(begin);
    sum += <u32>load<u8>(min(begin + LINE_BYTES, end));
    sum += <u32>load<u8>(min(begin + 2 * LINE_BYTES, end));
  }
  store<u32>(sink, sum);
}

/** Rows of so many words are read from the first to the last. */
const SHORT_WORDS: u32 = 32;

/**
 * Most words of long rows are passed eight at a time, by their numbers alone. Where they stand is worked out for those in the
 * range, from the beginning of their field.
 */
function writePlaces<Words>(from: u32, to: u32, first: usize): usize {
  const words = changetype<Words>(<usize>0);
  let out = first;
  let at = wordAt<Words>(from);
  const end = wordAt<Words>(to);
  if (to - from <= SHORT_WORDS) return writeWords<Words>(at, end, 0, out);
  const step = 8 * words.bytes;
  /** The place in front of the word at `known`. */
  let place: u32 = 0;
  let known = at;
  while (at < end) {
    for (; at + step <= end; at += step) if (isAmongEight<Words>(at)) break;
    const next = min(end, at + step);
    if (next < at + step && !isAmong<Words>(at, next)) return out;
    place = placeBefore<Words>(known, place, at);
    known = at;
    out = writeWords<Words>(at, next, place, out);
    at = next;
  }
  return out;
}

/** Writes the places of those of the words `[from, end)` that are in the range; `before` is the place in front of them. */
function writeWords<Words>(from: usize, end: usize, before: u32, first: usize): usize {
  const words = changetype<Words>(<usize>0);
  let at = from;
  let place = before;
  let out = first;
  const step = 4 * words.bytes;
  while (at + step <= end) {
    // Up to what is not a word: four at a time, without a branch that depends on which of them are in the range.
    const four = words.four(at);
    const count = <u32>ctz(i32x4.bitmask(i32x4.ge_u(four, i32x4.splat(words.field))) | 16);
    const there = i32x4.add(i32x4.splat(place), sums(words.gaps(four)));
    const isIn = i32x4.bitmask(amongFour<Words>(at)) & ((1 << count) - 1);
    store<u32>(out, i32x4.extract_lane(there, 0));
    out += (isIn & 1) << 2;
    store<u32>(out, i32x4.extract_lane(there, 1));
    out += (isIn & 2) << 1;
    store<u32>(out, i32x4.extract_lane(there, 2));
    out += isIn & 4;
    store<u32>(out, i32x4.extract_lane(there, 3));
    out += (isIn & 8) >> 1;
    if (count === 4) {
      place = i32x4.extract_lane(there, 3);
      at += step;
    } else {
      // Of the place before it only the field counts, which words do not change.
      at += <usize>count * words.bytes;
      place = placeBehind<Words>(words.one(at), place);
      at += words.bytes;
    }
  }
  for (; at < end; at += words.bytes) {
    const word = words.one(at);
    place = placeBehind<Words>(word, place);
    store<u32>(out, place);
    out += select<usize>(4, 0, word - lowest <= span);
  }
  return out;
}

/** Of four numbers: each with all before it. */
function sums(four: v128): v128 {
  const none = i32x4.splat(0);
  const two = i32x4.add(four, i8x16.shuffle(none, four, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return i32x4.add(two, i8x16.shuffle(none, two, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
}

function amongFour<Words>(at: usize): v128 {
  return among(changetype<Words>(<usize>0).four(at));
}

/** Which of four words are in the range. */
function among(four: v128): v128 {
  return i32x4.le_u(i32x4.sub(four, i32x4.splat(lowest)), i32x4.splat(span));
}

function isAmongEight<Words>(at: usize): bool {
  const behind = at + 4 * changetype<Words>(<usize>0).bytes;
  return v128.any_true(v128.or(amongFour<Words>(at), amongFour<Words>(behind)));
}

function isAmong<Words>(from: usize, end: usize): bool {
  const words = changetype<Words>(<usize>0);
  for (let at = from; at < end; at += words.bytes) if (words.one(at) - lowest <= span) return true;
  return false;
}

function placeBehind<Words>(word: u32, place: u32): u32 {
  const words = changetype<Words>(<usize>0);
  if (word < words.field) return place + words.gap(word);
  return word < words.position ? word << 16 : (place & ~VALUE_MASK) | (word & VALUE_MASK);
}

/** The place in front of the word at `at`, when `place` is that in front of the one at `known`. */
function placeBefore<Words>(known: usize, place: u32, at: usize): u32 {
  const words = changetype<Words>(<usize>0);
  const step = 4 * words.bytes;
  // Back to the beginning of the field, four words at a time.
  let gaps = i32x4.splat(0);
  let back = at;
  for (; back - step >= known; back -= step) {
    const four = words.four(back - step);
    if (v128.any_true(i32x4.ge_u(four, i32x4.splat(words.field)))) break;
    gaps = i32x4.add(gaps, words.gaps(four));
  }
  let from = max(known, back - step);
  // A position that was told tells nothing of the field.
  if (from > known && !beginsField<Words>(from, back)) from = known;
  let before = place;
  for (; from < back; from += words.bytes) before = placeBehind<Words>(words.one(from), before);
  before += i32x4.extract_lane(gaps, 0) + i32x4.extract_lane(gaps, 1);
  return before + i32x4.extract_lane(gaps, 2) + i32x4.extract_lane(gaps, 3);
}

/** Whether the first of these that is not a word is the beginning of a field. */
function beginsField<Words>(from: usize, end: usize): bool {
  const words = changetype<Words>(<usize>0);
  for (let at = from; at < end; at += words.bytes) {
    const word = words.one(at);
    if (word >= words.field) return word < words.position;
  }
  return false;
}
