/** What terms are in the rows of a list: weight of their fields, step of their positions, their places. */
import { gatherMet } from "./gather";
import { meetAll } from "./meet";
import { bucketOf, record } from "./places";
import { codeBits, term, useSets } from "./term";

const NO_COST: u32 = 65_535;

let planeAt: usize = 0;
let weightsAt: usize = 0;
let factorOf: u32 = 0;
let stepsAt: usize = 0;

export function wordWeights(
  refs: usize,
  count: u32,
  rows: u32,
  list: usize,
  n: u32,
  bits: usize,
  ranks: usize,
  among: usize,
  weights: usize,
  factor: u32,
  plane: usize,
): void {
  planeAt = plane;
  weightsAt = weights;
  factorOf = factor;
  meetAll<Weighing>(refs, count, rows, list, n, bits, ranks, among);
}

class Weighing {
  needsRank(): bool {
    return codeBits > 0;
  }

  @inline
  visit(position: u32, index: u32): void {
    const weight = <u32>load<u16>(weightsAt + ((<usize>term.formAt(index) >> 1) << 1));
    if (weight === NO_COST) return;
    const at = planeAt + ((<usize>position) << 1);
    store<u16>(at, <u16>min<u32>(load<u16>(at), weight * factorOf));
  }
}

export function wordSteps(
  refs: usize,
  count: u32,
  rows: u32,
  setOffsets: usize,
  setFields: usize,
  list: usize,
  n: u32,
  bits: usize,
  ranks: usize,
  among: usize,
  steps: usize,
  plane: usize,
): void {
  useSets(setOffsets, setFields);
  planeAt = plane;
  stepsAt = steps;
  meetAll<Stepping>(refs, count, rows, list, n, bits, ranks, among);
}

class Stepping {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    const to = planeAt + ((<usize>position) << 1);
    const least = <u32>load<u16>(to);
    if (least === 0) return;
    store<u16>(to, <u16>record.read<LeastStep>(index, least, 0));
  }
}

class LeastStep {
  @inline
  take(least: usize, _field: usize, position: u32, _end: usize): usize {
    return min<usize>(least, load<u8>(stepsAt + bucketOf(position)));
  }
}

export function wordPlaces(
  refs: usize,
  count: u32,
  rows: u32,
  setOffsets: usize,
  setFields: usize,
  list: usize,
  n: u32,
  bits: usize,
  ranks: usize,
  among: usize,
  starts: usize,
  places: usize,
  capacity: u32,
): u32 {
  useSets(setOffsets, setFields);
  return gatherMet(refs, count, rows, list, n, bits, ranks, among, starts, places, capacity);
}
