/** What terms are in the rows of a list: weight of their fields, step of their positions, their places. */
import { costs, useSteps, useWeights } from "./costs";
import { gatherMet } from "./gather";
import { meetAll, useList } from "./meet";
import { record } from "./places";
import { codeBits, term, useSets } from "./term";

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
  useWeights(weights, factor, plane);
  useList(list, n, bits, ranks, among);
  meetAll<Weighing>(refs, count, rows);
}

class Weighing {
  needsRank(): bool {
    return codeBits > 0;
  }

  @inline
  visit(position: u32, index: u32): void {
    costs.lowerByWeight(position, costs.weightOf(term.formAt(index) >> 1));
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
  useSteps(steps, plane);
  useList(list, n, bits, ranks, among);
  meetAll<Stepping>(refs, count, rows);
}

class Stepping {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    const least = costs.at(position);
    if (least > 0) costs.set(position, <u32>record.read<LeastStep>(index, least, 0));
  }
}

class LeastStep {
  @inline
  take(least: usize, _field: usize, position: u32, _end: usize): usize {
    return min<usize>(least, costs.stepOf(position));
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
  useList(list, n, bits, ranks, among);
  return gatherMet(refs, count, rows, n, starts, places, capacity);
}
