/** All places of many terms by row: gathering them, and what they are in the rows of a list. */
import { firstNotBelow, rowAt } from "./bits";
import { gatherAll, gatherOne } from "./gather";
import { bucketOf } from "./places";
import { useSets } from "./term";

const NO_COST: u32 = 65_535;
/** Lists of which none is more than so many times longer are merged, others searched. */
const LIKE: u32 = 4;

let planeAt: usize = 0;
let weightsAt: usize = 0;
let factorOf: u32 = 0;
let stepsAt: usize = 0;
let startsAt: usize = 0;
let placesAt: usize = 0;
let room: u32 = 0;
let total: u32 = 0;
/** Starts below this position are written. */
let filled: u32 = 0;

export function gatherTable(
  refs: usize,
  count: u32,
  rows: u32,
  setOffsets: usize,
  setFields: usize,
  bits: usize,
  ranks: usize,
  starts: usize,
  places: usize,
  capacity: u32,
): u32 {
  useSets(setOffsets, setFields);
  if (count === 1) return gatherOne(refs, starts, places, capacity);
  return gatherAll(refs, count, ranks, rankRows(bits, rows, ranks), starts, places, capacity);
}

/** ranks[row] = rank of the row in the set; returns the size of the set. */
function rankRows(bits: usize, rows: u32, ranks: usize): u32 {
  let rank: u32 = 0;
  for (let first: u32 = 0; first < rows; first += 64) {
    let word = load<u64>(bits + (first >> 3));
    while (word !== 0) {
      store<u32>(ranks + ((<usize>(first + <u32>ctz(word))) << 2), rank++);
      word &= word - 1;
    }
  }
  return rank;
}

/** Visits what table and list both have, with the position in the list and where the places begin and end. */
function meetRows<Visitor>(rows: usize, m: u32, list: usize, n: u32, starts: usize, places: usize): void {
  if (m / LIKE <= n && n / LIKE <= m) merge<Visitor>(rows, m, list, n, starts, places);
  else leapRows<Visitor>(rows, m, list, n, starts, places);
}

/** One step at a time, and no branch on which side is behind. */
function merge<Visitor>(rows: usize, m: u32, list: usize, n: u32, starts: usize, places: usize): void {
  let i: u32 = 0;
  let p: u32 = 0;
  while (i < m && p < n) {
    const row = rowAt(rows, i);
    const wanted = rowAt(list, p);
    if (row === wanted) visitRow<Visitor>(p, i, starts, places);
    i += <u32>(row <= wanted);
    p += <u32>(wanted <= row);
  }
}

function leapRows<Visitor>(rows: usize, m: u32, list: usize, n: u32, starts: usize, places: usize): void {
  let i: u32 = 0;
  let p: u32 = 0;
  while (i < m && p < n) {
    const row = rowAt(rows, i);
    const wanted = rowAt(list, p);
    if (row < wanted) i = firstNotBelow(rows, i + 1, m, wanted);
    else if (row > wanted) p = firstNotBelow(list, p + 1, n, row);
    else visitRow<Visitor>(p++, i++, starts, places);
  }
}

function visitRow<Visitor>(p: u32, i: u32, starts: usize, places: usize): void {
  const from = rowAt(starts, i);
  const to = rowAt(starts, i + 1);
  changetype<Visitor>(<usize>0).visit(p, places + ((<usize>from) << 2), places + ((<usize>to) << 2));
}

export function tableWeights(
  rows: usize,
  starts: usize,
  places: usize,
  m: u32,
  list: usize,
  n: u32,
  weights: usize,
  factor: u32,
  plane: usize,
): void {
  planeAt = plane;
  weightsAt = weights;
  factorOf = factor;
  meetRows<Weighing>(rows, m, list, n, starts, places);
}

class Weighing {
  visit(position: u32, from: usize, to: usize): void {
    const at = planeAt + ((<usize>position) << 1);
    let least: u32 = NO_COST;
    for (let place = from; place < to; place += 4) {
      least = min<u32>(least, load<u16>(weightsAt + ((<usize>load<u16>(place, 2)) << 1)));
    }
    if (least === NO_COST) return;
    store<u16>(at, <u16>min<u32>(load<u16>(at), least * factorOf));
  }
}

export function tableSteps(
  rows: usize,
  starts: usize,
  places: usize,
  m: u32,
  list: usize,
  n: u32,
  steps: usize,
  plane: usize,
): void {
  planeAt = plane;
  stepsAt = steps;
  meetRows<Stepping>(rows, m, list, n, starts, places);
}

class Stepping {
  visit(position: u32, from: usize, to: usize): void {
    const at = planeAt + ((<usize>position) << 1);
    let least = <u32>load<u16>(at);
    for (let place = from; place < to && least > 0; place += 4) {
      least = min<u32>(least, load<u8>(stepsAt + bucketOf(load<u16>(place))));
    }
    store<u16>(at, <u16>least);
  }
}

export function tablePlaces(
  rows: usize,
  starts: usize,
  places: usize,
  m: u32,
  list: usize,
  n: u32,
  outStarts: usize,
  outPlaces: usize,
  capacity: u32,
): u32 {
  startsAt = outStarts;
  placesAt = outPlaces;
  room = capacity;
  total = 0;
  filled = 0;
  meetRows<Copying>(rows, m, list, n, starts, places);
  startsUpTo(n);
  return total;
}

/** Writes the starts up to and with that of a position. */
function startsUpTo(position: u32): void {
  for (; filled <= position; filled++) store<u32>(startsAt + ((<usize>filled) << 2), total);
}

class Copying {
  visit(position: u32, from: usize, to: usize): void {
    startsUpTo(position);
    const count = <u32>((to - from) >> 2);
    if (total + count <= room) {
      let out = placesAt + ((<usize>total) << 2);
      for (let place = from; place < to; place += 4, out += 4) store<u32>(out, load<u32>(place));
    }
    total += count;
  }
}
