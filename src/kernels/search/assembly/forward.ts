/**
 * Which documents have words in a range of the vocabulary, and where they stand: from the words of each row in their order,
 * see `segment/forward/format.ts`. What it takes grows with the documents that are looked at, however many words there are.
 */
import { rowAt } from "../../keyword/assembly/bits";
import { FIELD, GAP_BITS, GAP_MAX, POSITION, VALUE_MASK } from "../../shared/assembly/forward";
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
/** Words of the range are less than `span` above `lowest`. */
let lowest: u32 = 0;
let span: u32 = 0;

/** Whether a segment tells the words of its rows. */
export function hasForward(segment: Segment): bool {
  return segment.forwardStarts !== 0;
}

function useRange(segment: Segment, from: u32, to: u32): void {
  startsAt = segment.forwardStarts;
  wordsAt = segment.forwardWords;
  lowest = from << GAP_BITS;
  span = (to - from) << GAP_BITS;
}

/** Adds the rows of a segment in `within` that have a word of `[from, to)` to a set. */
export function addRowsOfRange(i: u32, from: u32, to: u32, within: usize, set: usize): void {
  const segment = segmentAt(i);
  useRange(segment, from, to);
  keepWhere<HasWord>(segment, within, set);
}

class HasWord {
  @inline
  test(row: u32): bool {
    const starts = load<u64>(startsAt + ((<usize>row) << 2));
    let at = wordsAt + ((<usize>(<u32>starts)) << 2);
    const end = wordsAt + ((<usize>(starts >> 32)) << 2);
    const first = i32x4.splat(lowest);
    const most = i32x4.splat(span);
    for (; at + 16 <= end; at += 16) {
      if (v128.any_true(i32x4.lt_u(i32x4.sub(v128.load(at), first), most))) return true;
    }
    for (; at < end; at += 4) if (load<u32>(at) - lowest < span) return true;
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
    const row = (<usize>rowAt(list, p)) << 2;
    const begin = load<u32>(startsAt + row);
    const end = load<u32>(startsAt + row, 4);
    if (out + ((<usize>(end - begin)) << 2) > room) unreachable();
    out = writePlaces(wordsAt + ((<usize>begin) << 2), wordsAt + ((<usize>end) << 2), out);
    spend((end - begin) >> 4);
  }
  const total = <u32>((out - places) >> 2);
  store<u32>(placeStarts + ((<usize>n) << 2), total);
  stack(out - places + PLACES_MARGIN);
  return total;
}

function writePlaces(from: usize, end: usize, to: usize): usize {
  let out = to;
  let place: u32 = 0;
  const first = i32x4.splat(lowest);
  const most = i32x4.splat(span);
  for (let at = from; at < end; ) {
    // Four terms of which none is in the range are passed at once.
    let gaps = i32x4.splat(0);
    for (; at + 16 <= end; at += 16) {
      const four = v128.load(at);
      const isIn = i32x4.lt_u(i32x4.sub(four, first), most);
      if (v128.any_true(v128.or(isIn, i32x4.ge_u(four, i32x4.splat(FIELD))))) break;
      gaps = i32x4.add(gaps, v128.and(four, i32x4.splat(GAP_MAX)));
    }
    place += i32x4.extract_lane(gaps, 0) + i32x4.extract_lane(gaps, 1);
    place += i32x4.extract_lane(gaps, 2) + i32x4.extract_lane(gaps, 3);
    for (const next = min(end, at + 16); at < next; at += 4) {
      const word = load<u32>(at);
      if (word < FIELD) {
        place += word & GAP_MAX;
        store<u32>(out, place);
        out += select<usize>(4, 0, word - lowest < span);
      } else if (word < POSITION) place = word << 16;
      else place = (place & ~VALUE_MASK) | (word & VALUE_MASK);
    }
  }
  return out;
}
