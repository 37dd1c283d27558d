/**
 * Which way is quickest to the nearest vectors of a segment: comparing all that may be found, or looking at sketches, all
 * of them or those of near cells, and comparing those that seem near. Measured costs of one thread; only their ratios
 * matter.
 */
import { cellCount } from "../segment/vectors/cells.ts";

/** Comparing one vector in passing: a fixed part, one for each byte of its codes, and one when it lies far from the last. */
const SCAN_NS = 2;
const SCAN_BYTE_NS = 0.08;
const SCAN_JUMP_NS = 30;
/** Looking at the sketch of one vector, for each of its places; what comes before that. */
const SKETCH_PLACE_NS = 0.066;
const SKETCHES_NS = 20_000;
/** Comparing one of the likeliest, which are far from each other. */
const LIKELY_NS = 100;
/** Cells are worth their while where searches are so many times as quick. */
const GAIN_MIN = 1.5;
/** Among so many of the likeliest by their sketches are 0.99 of the nearest; the share is one of all that may be found. */
const SKETCHED: Counts = { min: 400, share: 0.004, perWanted: 6, more: 280 };
/** In cells sketches tell more. */
const SKETCHED_IN_CELLS: Counts = { min: 200, share: 0.0006, perWanted: 8, more: 120 };
/**
 * In the nearest cells, which together have so many of the vectors that may be found, are 0.98 of the nearest ten: the
 * lower number suffices where near cells are few and stand out. For more than ten it is more.
 */
const SEEN_LEAST = 1.2;
const SEEN_MOST = 4.6;
const SEEN_POWER = 0.75;
const SEEN_WANTED = 10;
const SEEN_WANTED_POWER = 0.25;

interface Counts {
  min: number;
  share: number;
  perWanted: number;
  more: number;
}

/** What is to be searched. */
export interface Task {
  vectors: number;
  /** How many of them may be found. */
  allowed: number;
  codeBytes: number;
  /** Of a sketch; null when there are none. */
  places: number | null;
  /** In which vectors lie; null when there are none. */
  cells: number | null;
  wanted: number;
}

/** How many of the likeliest are to be compared. */
export function sketchedCount({ allowed, cells, wanted }: Pick<Task, "allowed" | "cells" | "wanted">): number {
  const { min, share, perWanted, more } = cells === null ? SKETCHED : SKETCHED_IN_CELLS;
  return Math.max(min, Math.ceil(allowed * share), wanted * perWanted + more);
}

export interface Seen {
  least: number;
  most: number;
}

/** Of how many vectors that may be found the sketches are looked at. */
export function seenCount({ allowed, cells, wanted }: Pick<Task, "allowed" | "cells" | "wanted">): Seen {
  if (cells === null) return { least: allowed, most: allowed };
  const unit = Math.max(1, wanted / SEEN_WANTED) ** SEEN_WANTED_POWER * allowed ** SEEN_POWER;
  const count = (units: number): number => Math.min(allowed, Math.ceil(units * unit));
  return { least: count(SEEN_LEAST), most: count(SEEN_MOST) };
}

export type Way = "scan" | "sketches";

export function quickestWay(task: Task): Way {
  return sketchesCost(task) < scanCost(task) ? "sketches" : "scan";
}

function scanCost({ allowed, codeBytes, vectors }: Task): number {
  const share = allowed / Math.max(1, vectors);
  return allowed * (SCAN_NS + SCAN_BYTE_NS * codeBytes + SCAN_JUMP_NS * (1 - share));
}

function sketchesCost(task: Task): number {
  const { allowed, cells, codeBytes, places, vectors } = task;
  const compared = sketchedCount(task);
  if (places === null || compared > allowed) return Number.POSITIVE_INFINITY;
  const { least, most } = seenCount(task);
  const looked = (((least + most) / 2) * vectors) / allowed;
  return (
    SKETCHES_NS +
    (cells ?? 0) * (SCAN_NS + SCAN_BYTE_NS * codeBytes) +
    looked * SKETCH_PLACE_NS * places +
    compared * (LIKELY_NS + SCAN_BYTE_NS * codeBytes)
  );
}

/** Whether a search in so many vectors gains much by cells. */
export function isWorthCells(vectors: number, codeBytes: number, places: number | null): boolean {
  const task = { vectors, allowed: vectors, codeBytes, places, cells: cellCount(vectors), wanted: 1 };
  return sketchesCost(task) * GAIN_MIN < Math.min(scanCost(task), sketchesCost({ ...task, cells: null }));
}
