/**
 * Which way is quickest to the nearest vectors of a segment: comparing all that may be found, looking at the sketches of
 * all and comparing those that seem near, or walking through the graph. Measured costs of one thread; only their
 * ratios matter.
 */

/** Comparing one vector in passing: a fixed part, one for each byte of its codes, and one when it lies far from the last. */
const SCAN_NS = 2;
const SCAN_BYTE_NS = 0.08;
const SCAN_JUMP_NS = 30;
/** Looking at the sketch of one vector, for each of its places; what comes before that. */
const SKETCH_PLACE_NS = 0.066;
const SKETCHES_NS = 20_000;
/** Comparing one of the likeliest, which are far from each other. */
const LIKELY_NS = 100;
/** Looking at a vector that a walk comes by, which is seldom in the cache. */
const WALK_NS = 130;
const WALK_BYTE_NS = 0.25;
/** Vectors that a walk looks at for each that it is to find. */
const LOOKED_AT = 17;
/** A walk to this many, and twice as many as are wanted, finds about 0.98 of the nearest. */
const FOUND_MIN = 320;
const FOUND_PER_WANTED = 2;
const FOUND_MORE = 280;
/** Among so many of the likeliest by their sketches are 0.99 of the nearest; the share is one of all that may be found. */
const SKETCHED_MIN = 400;
const SKETCHED_SHARE = 0.004;
const SKETCHED_PER_WANTED = 6;
const SKETCHED_MORE = 280;

/** How many vectors a walk is to find, so that the nearest `wanted` are among them. */
export function walkWidth(wanted: number): number {
  return Math.max(FOUND_MIN, wanted * FOUND_PER_WANTED + FOUND_MORE);
}

/** How many of the likeliest of `allowed` vectors are to be compared. */
export function sketchedCount(allowed: number, wanted: number): number {
  return Math.max(SKETCHED_MIN, Math.ceil(allowed * SKETCHED_SHARE), wanted * SKETCHED_PER_WANTED + SKETCHED_MORE);
}

/** What is to be searched. */
export interface Task {
  vectors: number;
  /** How many of them may be found. */
  allowed: number;
  codeBytes: number;
  /** Of a sketch; null when there are none. */
  places: number | null;
  hasGraph: boolean;
  wanted: number;
}

export type Way = "scan" | "sketches" | "walk";

export function quickestWay(task: Task): Way {
  const scan = scanCost(task);
  const sketches = sketchesCost(task);
  const walk = task.hasGraph ? walkCost(task) : Number.POSITIVE_INFINITY;
  if (walk < scan && walk < sketches) return "walk";
  return sketches < scan ? "sketches" : "scan";
}

function scanCost({ allowed, codeBytes, vectors }: Task): number {
  const share = allowed / Math.max(1, vectors);
  return allowed * (SCAN_NS + SCAN_BYTE_NS * codeBytes + SCAN_JUMP_NS * (1 - share));
}

function sketchesCost({ allowed, codeBytes, places, vectors, wanted }: Task): number {
  const compared = sketchedCount(allowed, wanted);
  if (places === null || compared > allowed) return Number.POSITIVE_INFINITY;
  return SKETCHES_NS + vectors * SKETCH_PLACE_NS * places + compared * (LIKELY_NS + SCAN_BYTE_NS * codeBytes);
}

function walkCost({ allowed, codeBytes, vectors, wanted }: Task): number {
  // Those that may not be found are passed on the way.
  const passed = (walkWidth(wanted) * vectors) / Math.max(1, allowed);
  return passed * LOOKED_AT * (WALK_NS + WALK_BYTE_NS * codeBytes);
}

/** Below this many vectors of that size a graph is never the quickest way. */
export function isWorthGraph(vectors: number, codeBytes: number, places: number | null): boolean {
  return quickestWay({ vectors, allowed: vectors, codeBytes, places, hasGraph: true, wanted: 1 }) === "walk";
}
