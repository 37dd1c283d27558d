/** All places of many terms by row: gathering them, and what they are in the rows of a list. */
import { rowAt } from "./bits";
import { costs, NO_COST, useSteps, useWeights } from "./costs";
import { gatherOne } from "./gather";
import { gatherAll } from "./gather-all";
import { Place } from "./place";
import { isIn, rankAt, visitRanked, wordOf } from "./ranks";
import { useSets } from "./term";

let startsAt: usize = 0;
let placesAt: usize = 0;

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

function useTable(starts: usize, places: usize): void {
  startsAt = starts;
  placesAt = places;
}

/** Where the places of the row of a rank begin; those of the one before end there. */
function placesOf(rank: u32): usize {
  return placesAt + ((<usize>rowAt(startsAt, rank)) << 2);
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
  useTable(starts, places);
  useWeights(weights, factor, plane);
  visitRanked<Weighing>(bits, ranks, list, n);
}

class Weighing {
  visit(position: u32, rank: u32): void {
    const end = placesOf(rank + 1);
    let least: u32 = NO_COST;
    for (let place = placesOf(rank); place < end; place += 4) {
      least = min<u32>(least, costs.weightOf(changetype<Place>(place).field));
    }
    costs.lowerByWeight(position, least);
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
  useTable(starts, places);
  useSteps(steps, plane);
  visitRanked<Stepping>(bits, ranks, list, n);
}

class Stepping {
  visit(position: u32, rank: u32): void {
    const end = placesOf(rank + 1);
    let least = costs.at(position);
    for (let place = placesOf(rank); place < end && least > 0; place += 4) {
      least = min<u32>(least, costs.stepOf(load<u16>(place)));
    }
    costs.set(position, least);
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
