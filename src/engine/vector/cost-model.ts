/**
 * Chooses the quickest way to the nearest vectors of a segment: compare all allowed ones, scan bit codes (of all, or of
 * the nearest cells) and compare the candidates, or walk the graph. Costs were measured on one thread; only their
 * ratios matter.
 */
import { cellCount } from "../../storage/segment/vectors/ivf.ts";

/** Comparing one vector in passing: a fixed part, one for each byte of its codes, and one when it lies far from the last. */
const SCAN_NS = 2;
const SCAN_BYTE_NS = 0.08;
const SCAN_JUMP_NS = 30;
/** Looking at the sketch of one vector, for each of its places; what comes before that. */
const SKETCH_PLACE_NS = 0.066;
const SKETCHES_NS = 20_000;
/** Comparing one of the candidates, which lie far from each other. */
const CANDIDATE_NS = 100;
/** Looking at a vector that a walk comes by, which is seldom in the cache. */
const WALK_NS = 130;
const WALK_BYTE_NS = 0.25;
/** Vectors that a walk looks at for each that it is to find. */
const LOOKED_AT = 17;
/** A walk to this many, and twice as many as are wanted, finds about 0.98 of the nearest. */
const FOUND_MIN = 320;
const FOUND_PER_WANTED = 2;
const FOUND_MORE = 280;
/** Least gain in speed for which cells are made. */
const GAIN_MIN = 1.5;
/** Among so many candidates, those with the best sketches, are 0.99 of the nearest; the share is one of all that may be found. */
const SKETCHED: Counts = { min: 400, share: 0.004, root: 0, perWanted: 6, more: 280 };
/** In cells sketches tell more, and the number grows with the root of all that may be found. */
const SKETCHED_IN_CELLS: Counts = { min: 120, share: 0, root: 0.65, perWanted: 8, more: 40 };
/**
 * In the nearest cells, which together have so many of the vectors that may be found, are 0.98 of the nearest ten: the
 * lower number suffices where near cells are few and stand out. For more than ten it is more.
 */
const SEEN_LEAST = 0.8;
const SEEN_MOST = 4.5;
const SEEN_POWER = 0.75;
const SEEN_SHARE_POWER = 0.88;
const SEEN_WANTED = 10;
const SEEN_WANTED_POWER = 0.25;

interface Counts {
  min: number;
  share: number;
  root: number;
  perWanted: number;
  more: number;
}

/** What is to be searched. */
export interface SearchSize {
  vectors: number;
  /** How many of them may be found. */
  allowed: number;
  codeBytes: number;
  /** Of a sketch; null when there are none. */
  places: number | null;
  /** In which vectors lie; null when there are none. */
  cells: number | null;
  hasGraph: boolean;
  wanted: number;
}

/** How many vectors a walk is to find, so that the nearest `wanted` are among them. */
export function walkWidth(wanted: number): number {
  return Math.max(FOUND_MIN, wanted * FOUND_PER_WANTED + FOUND_MORE);
}

/** How many candidates are to be compared. */
export function sketchedCount({ allowed, cells, wanted }: Pick<SearchSize, "allowed" | "cells" | "wanted">): number {
  const { min, share, root, perWanted, more } = cells === null ? SKETCHED : SKETCHED_IN_CELLS;
  return Math.max(min, Math.ceil(allowed * share + Math.sqrt(allowed) * root), wanted * perWanted + more);
}

export interface CandidateBudget {
  least: number;
  most: number;
}

/** Of how many vectors that may be found the sketches are looked at. */
export function candidateBudget({
  allowed,
  cells,
  vectors,
  wanted,
}: Omit<SearchSize, "codeBytes" | "places">): CandidateBudget {
  if (cells === null) return { least: allowed, most: allowed };
  const unit =
    Math.max(1, wanted / SEEN_WANTED) ** SEEN_WANTED_POWER *
    vectors ** SEEN_POWER *
    (allowed / vectors) ** SEEN_SHARE_POWER;
  const count = (units: number): number => Math.min(allowed, Math.ceil(units * unit));
  return { least: count(SEEN_LEAST), most: count(SEEN_MOST) };
}

export type Way = "scan" | "sketches" | "walk";

export function quickestWay(task: SearchSize): Way {
  const scan = scanCost(task);
  const sketches = sketchesCost(task);
  const walk = task.hasGraph ? walkCost(task) : Number.POSITIVE_INFINITY;
  if (walk < scan && walk < sketches) return "walk";
  return sketches < scan ? "sketches" : "scan";
}

function scanCost({ allowed, codeBytes, vectors }: SearchSize): number {
  const share = allowed / Math.max(1, vectors);
  return allowed * (SCAN_NS + SCAN_BYTE_NS * codeBytes + SCAN_JUMP_NS * (1 - share));
}

function sketchesCost(task: SearchSize): number {
  const { allowed, cells, codeBytes, places, vectors } = task;
  const compared = sketchedCount(task);
  if (places === null || compared > allowed) return Number.POSITIVE_INFINITY;
  const looked = (candidateBudget(task).most * vectors) / allowed;
  return (
    SKETCHES_NS +
    (cells ?? 0) * (SCAN_NS + SCAN_BYTE_NS * codeBytes) +
    looked * SKETCH_PLACE_NS * places +
    compared * (CANDIDATE_NS + SCAN_BYTE_NS * codeBytes)
  );
}

function walkCost({ allowed, codeBytes, vectors, wanted }: SearchSize): number {
  // Those that may not be found are passed on the way.
  const passed = (walkWidth(wanted) * vectors) / Math.max(1, allowed);
  return passed * LOOKED_AT * (WALK_NS + WALK_BYTE_NS * codeBytes);
}

/** Whether something makes searches in so many vectors, whose sketches have so many places, much quicker. */
export type IsWorth = (vectors: number, codeBytes: number, places: number | null) => boolean;

export const isWorthCells: IsWorth = (vectors, codeBytes, places) => {
  const task = wholeTask(vectors, codeBytes, places);
  return sketchesCost(task) * GAIN_MIN < Math.min(scanCost(task), sketchesCost({ ...task, cells: null }));
};

/** Where a walk is the quickest way even though there are cells. */
export const isWorthGraph: IsWorth = (vectors, codeBytes, places) =>
  quickestWay(wholeTask(vectors, codeBytes, places)) === "walk";

/** A search in all of so many vectors, with all there can be to make it quick. */
function wholeTask(vectors: number, codeBytes: number, places: number | null): SearchSize {
  return { vectors, allowed: vectors, codeBytes, places, cells: cellCount(vectors), hasGraph: true, wanted: 1 };
}
