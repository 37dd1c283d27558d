/** All places of many terms by row: gathering them, and what they are in the rows of a list. */
import { rowAt } from "./bits";
import { gatherOne } from "./gather";
import { gatherAll } from "./gather-all";
import { bucketOf } from "./places";
import { isIn, rankAt, wordOf } from "./ranks";
import { useSets } from "./term";

const NO_COST: u32 = 65_535;

let planeAt: usize = 0;
let weightsAt: usize = 0;
let factorOf: u32 = 0;
let stepsAt: usize = 0;

export function gatherTable(
  refs: usize,
  count: u32,
  rows: u32,
  setOffsets: usize,
  setFields: usize,
  starts: usize,
  places: usize,
  capacity: u32,
): u32 {
  useSets(setOffsets, setFields);
  if (count === 1) return gatherOne(refs, starts, places, capacity);
  return gatherAll(refs, count, rows, starts, places, capacity);
}

/** Visits what table and list both have, with the position in the list and where the places begin and end. */
function meetRows<Visitor>(bits: usize, ranks: usize, list: usize, n: u32, starts: usize, places: usize): void {
  const visitor = changetype<Visitor>(<usize>0);
  for (let p: u32 = 0; p < n; p++) {
    const row = rowAt(list, p);
    const word = wordOf(bits, row);
    if (isIn(word, row) === 0) continue;
    const i = rankAt(word, ranks, row);
    visitor.visit(p, places + ((<usize>rowAt(starts, i)) << 2), places + ((<usize>rowAt(starts, i + 1)) << 2));
  }
}

export function tableWeights(
  bits: usize,
  ranks: usize,
  starts: usize,
  places: usize,
  list: usize,
  n: u32,
  weights: usize,
  factor: u32,
  plane: usize,
): void {
  planeAt = plane;
  weightsAt = weights;
  factorOf = factor;
  meetRows<Weighing>(bits, ranks, list, n, starts, places);
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
  bits: usize,
  ranks: usize,
  starts: usize,
  places: usize,
  list: usize,
  n: u32,
  steps: usize,
  plane: usize,
): void {
  planeAt = plane;
  stepsAt = steps;
  meetRows<Stepping>(bits, ranks, list, n, starts, places);
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

export function tableSpans(
  bits: usize,
  ranks: usize,
  starts: usize,
  list: usize,
  n: u32,
  begins: usize,
  ends: usize,
): void {
  for (let p: u32 = 0; p < n; p++) {
    const row = rowAt(list, p);
    const word = wordOf(bits, row);
    const i = rankAt(word, ranks, row);
    const from = rowAt(starts, i);
    store<u32>(begins + ((<usize>p) << 2), from);
    store<u32>(ends + ((<usize>p) << 2), isIn(word, row) === 1 ? rowAt(starts, i + 1) : from);
  }
}
