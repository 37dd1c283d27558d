/** Gathers the places of terms by position of a list, or by rank of their row: starts and places. */
import { meetAll } from "./meet";
import { countPlaces, readPlaces } from "./places";
import { sort } from "./sorting";
import { docCount, open } from "./term";
import { visitAll } from "./visit";

/** Instead of a number of places. */
export const NO_ROOM: u32 = 0xffff_ffff;
/** Of places that are known to fit. */
export const NO_END: usize = 0xffff_ffff;

/** Of the n rows of the list in use; returns the number of places, which are there if they are not more than `room`. */
export function gatherMet(refs: usize, count: u32, rows: u32, n: u32, starts: usize, places: usize, room: u32): u32 {
  useTable(starts, places, room);
  if (count === 1) {
    meetAll<InOrder>(refs, count, rows);
    startsUpTo(n);
    return total;
  }
  memory.fill(starts, 0, (<usize>n) << 2);
  meetAll<Counting>(refs, count, rows);
  const sum = countsToStarts(starts, n);
  if (sum > room) return sum;
  meetAll<Filling>(refs, count, rows);
  finishTable(starts, places, n);
  return sum;
}

/** Of the only term, by rank of its rows in it. */
export function gatherOne(ref: usize, starts: usize, places: usize, room: u32): u32 {
  useTable(starts, places, room);
  open(ref);
  visitAll<Rows>();
  startsUpTo(docCount);
  return total > room ? NO_ROOM : total;
}

let startsAt: usize = 0;
let placesAt: usize = 0;
let placesEnd: usize = 0;
let capacity: u32 = 0;
let total: u32 = 0;
/** Starts below this position are written. */
let filled: u32 = 0;

function useTable(starts: usize, places: usize, room: u32): void {
  startsAt = starts;
  placesAt = places;
  placesEnd = places + ((<usize>room) << 2);
  capacity = room;
  total = 0;
  filled = 0;
}

/** Visited in ascending order: places go where they belong at once. */
class InOrder {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    appendPlaces(position, index);
  }
}

/** All rows of the only term. */
class Rows {
  @inline
  visit(_row: u32, index: u32): void {
    appendPlaces(index, index);
  }
}

function appendPlaces(position: u32, index: u32): void {
  startsUpTo(position);
  // What does not fit is only counted.
  const to = total < capacity ? placesAt + ((<usize>total) << 2) : placesEnd;
  total += readPlaces(index, to, placesEnd);
}

/** Writes the starts up to and with that of a position. */
function startsUpTo(position: u32): void {
  for (; filled <= position; filled++) store<u32>(startsAt + ((<usize>filled) << 2), total);
}

/** First of two rounds when terms come one after the other: starts[p] becomes the number of places. */
class Counting {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    const at = startsAt + ((<usize>position) << 2);
    store<u32>(at, load<u32>(at) + countPlaces(index));
  }
}

/** Second round: starts[p] is where the next place of p goes. */
class Filling {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    const at = startsAt + ((<usize>position) << 2);
    const start = load<u32>(at);
    store<u32>(at, start + readPlaces(index, placesAt + ((<usize>start) << 2), NO_END));
  }
}

/** Numbers to starts, and one more for the end; returns the sum. */
export function countsToStarts(starts: usize, n: u32): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const at = starts + ((<usize>i) << 2);
    const count = load<u32>(at);
    store<u32>(at, sum);
    sum += count;
  }
  store<u32>(starts + ((<usize>n) << 2), sum);
  return sum;
}

/** After the second round every start has moved to its end: puts them back and sorts the places of each position. */
export function finishTable(starts: usize, places: usize, n: u32): void {
  let from: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const at = starts + ((<usize>i) << 2);
    const to = load<u32>(at);
    store<u32>(at, from);
    if (to - from > 1) sort(places + ((<usize>from) << 2), to - from);
    from = to;
  }
}
