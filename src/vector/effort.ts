/**
 * Which way is quicker to the nearest vectors of a segment: looking at all that may be found, or walking through the
 * graph. Measured costs of one thread; only their ratio matters.
 */

/** Looking at one vector in passing: a fixed part, one for each byte of its codes, and one when it lies far from the last. */
const SCAN_NS = 2;
const SCAN_BYTE_NS = 0.08;
const SCAN_JUMP_NS = 10;
/** Looking at a vector that a walk comes by, which is seldom in the cache. */
const WALK_NS = 70;
const WALK_BYTE_NS = 0.25;
/** Vectors that a walk looks at for each that it is to find. */
const LOOKED_AT = 17;
/** A walk to this many, and twice as many as are wanted, finds about 0.98 of the nearest. */
const FOUND_MIN = 200;
const FOUND_PER_WANTED = 2;
const FOUND_MORE = 160;

/** How many vectors a walk is to find, so that the nearest `wanted` are among them. */
export function walkWidth(wanted: number): number {
  return Math.max(FOUND_MIN, wanted * FOUND_PER_WANTED + FOUND_MORE);
}

/** `allowed` of the `vectors` in the graph may be found. */
export function walkIsQuicker(vectors: number, allowed: number, codeBytes: number, wanted: number): boolean {
  const share = allowed / Math.max(1, vectors);
  const scan = allowed * (SCAN_NS + SCAN_BYTE_NS * codeBytes + SCAN_JUMP_NS * (1 - share));
  // Those that may not be found are passed on the way.
  const passed = walkWidth(wanted) / share;
  return passed * LOOKED_AT * (WALK_NS + WALK_BYTE_NS * codeBytes) < scan;
}

/** Below this many vectors of that size a graph is never the quicker way. */
export function isWorthGraph(vectors: number, codeBytes: number): boolean {
  return walkIsQuicker(vectors, vectors, codeBytes, 1);
}
