/**
 * What vector search and those who build for it are given, as structs in one memory. `scripts/kernels.mjs` reads the offsets
 * and constants for TypeScript from here. All fields take four bytes; addresses that may be missing are 0 then.
 */

/** Vectors of a block of bit codes. */
export const BLOCK_VECTORS: u32 = 32;
/** Places that count come in multiples of this. */
export const PLACES_STEP: u32 = 4;
/** Above every sum: the upper half of a key of a scan is this less the sum of its vector. */
export const FAR: i32 = 16_777_216;
/** Buckets of the histogram of sums, from 0 to the sum of a similarity of 1: words of `counts`. */
export const SUM_STEPS: u32 = 1024;
/** Steps of the distances of cells, words of room for ranking them: what is nearer by less than one hardly matters. */
export const DISTANCE_STEPS: i32 = 1024;
/** Bytes of `room` of a scan: a 16-bit sum for each vector of a block. */
export const SCAN_ROOM_BYTES: usize = 64;
/** Links of a vector in layer 0 of a graph, and of a node above. */
export const LINKS_BELOW: usize = 32;
export const LINKS_ABOVE: usize = 16;
/** Words of the head of a graph's image. */
export const GRAPH_HEAD_WORDS: usize = 32;
/** Keys in the heap `ahead` of a job, for each vector looked at: nodes that a walk may still want to look at. */
export const GRAPH_JOB_AHEAD: u32 = 32;
/** Keys in `keys` of a job. */
export const GRAPH_JOB_KEYS: u32 = 64;

/** Who may be found; part of other structs. */
@unmanaged
export class Allowed {
  /** Rows, as bits; 0 for all. */
  rows: u32;
  /** Row of each slot; 0 when it is the slot's number. */
  rowList: u32;
  /** First vector of each slot; 0 when every slot has one. */
  starts: u32;
  slots: u32;
}

/** A step of the histogram of sums (`SUM_STEPS`), and how many keys were kept from there on; part of a scan. */
@unmanaged
export class Steps {
  first: u32;
  kept: u32;
}

/** The vectors of a segment and what is compared with them. Room for eight more words follows. */
@unmanaged
export class VectorSet {
  /** First vector of each slot and the end, 0 when every slot has one. */
  starts: u32;
  /** Row of each slot, 0 when it is the slot's own number. */
  rowList: u32;
  /** Codes, floats or bits. */
  data: u32;
  /** Scales or norms. */
  factors: u32;
  /** Bytes of a row of codes or bits, dimensions of floats. */
  stride: u32;
  /** Rows that may be kept, as bits; 0 for all. */
  rows: u32;
  /** 16-bit numbers, floats or bits. */
  query: u32;
  /** Two numbers whose meaning is told by each function. */
  unit: f32;
  half: f32;
}

/** A scan of bit codes, a first and rough comparison: see sketch.ts; from `slotList` on, what only cell-scan.ts uses. */
@unmanaged
export class BitCodeScan {
  blocks: u32;
  blockBytes: u32;
  tables: u32;
  vectors: u32;
  /** An `Allowed`. */
  rows: u32;
  rowList: u32;
  starts: u32;
  slots: u32;
  /** Vectors to keep, room for twice as many keys, and keys there. */
  wanted: u32;
  keys: u32;
  size: u32;
  /** The sum that must be exceeded. */
  limit: i32;
  /** Of SCAN_ROOM_BYTES. */
  room: u32;
  /** How many places count, a multiple of PLACES_STEP, and where each of them lies in a block, one word each. */
  places: u32;
  placeList: u32;
  /** Slot of each vector, in the order of the blocks. */
  slotList: u32;
  /** Keys of the cells, the nearest first, see cell.ts, and how many are left to look at. */
  cellKeys: u32;
  cells: u32;
  firstBlocks: u32;
  cellSizes: u32;
  /** What a similarity of 1 adds to the sums. */
  factor: f32;
  /** Vectors that were looked at and may be found; how many of them are enough. */
  seen: u32;
  enough: u32;
  /** Sum of a vector like the centre of its cell. */
  middle: i32;
  /** So many are looked at in any case; from then on cells are left out whose centre is below the limit by more than `reach`. */
  least: u32;
  reach: i32;
  /** 1 when the filter lets many pass: then `seen` is estimated from samples. */
  isMany: u32;
  /** The histogram of the sums of keys that were kept, SUM_STEPS numbers, all 0 at first. */
  counts: u32;
  /** `Steps` of those that are kept. */
  firstStep: u32;
  kept: u32;
  allCells: u32;
  /** How many are sought in the end; `Steps` of the best so many; by how much others may be below them. */
  sought: u32;
  bestStep: u32;
  best: u32;
  behind: i32;
}

/** A walk through a graph: see graph.ts. Room for twice LINKS_BELOW + 4 words follows. */
@unmanaged
export class GraphWalk {
  image: u32;
  codes: u32;
  scales: u32;
  /** Bytes of a row of codes. */
  stride: u32;
  /** 16-bit numbers, and the similarity of one unit of the sum of products. */
  query: u32;
  unit: f32;
  wanted: u32;
  /** An `Allowed`. */
  rows: u32;
  rowList: u32;
  starts: u32;
  slots: u32;
  /** One bit a vector. */
  marks: u32;
  /** Heap of nodes to go on from. */
  ahead: u32;
  aheadCapacity: u32;
  aheadSize: u32;
  /** Heap of what was found. */
  found: u32;
  foundSize: u32;
  /** 1 when begun. */
  begun: u32;
}

/** Vectors that are to find their cells. */
@unmanaged
export class CellJob {
  codes: u32;
  /** Bytes of a row of codes. */
  stride: u32;
  /** Codes of the centres, a factor of each, as floats, and how many they are, a multiple of four. */
  centres: u32;
  factors: u32;
  cells: u32;
  /** Cell of each vector. */
  cellOf: u32;
}

/** A graph that is built: see graph-build.ts. */
@unmanaged
export class GraphJob {
  /** Its head up to the counts of nodes, and the vectors and lower nodes of all layers, are there; links are NONE. */
  image: u32;
  codes: u32;
  scales: u32;
  /** Bytes of a row of codes. */
  stride: u32;
  /** Vectors looked at for each new one. */
  looked: u32;
  /** Vectors left, the next of them, and the step from one to the next. */
  left: u32;
  next: u32;
  step: u32;
  /** The layer in which walks begin, NONE before the first vector, and the node there. */
  topLayer: u32;
  topNode: u32;
  /** Room for two rows of 16-bit numbers. */
  wide: u32;
  otherWide: u32;
  /** One bit a vector. */
  marks: u32;
  /** Heaps of keys: GRAPH_JOB_AHEAD times as many as vectors looked at, and as many. */
  ahead: u32;
  found: u32;
  /** Room for GRAPH_JOB_KEYS. */
  keys: u32;
  /** Room for three times LINKS_BELOW + 4 words. */
  room: u32;
}

/** What is known of the places of a query: squares of all weights, the reach of those kept, and the widest of them. */
@unmanaged
export class PlaceSums {
  all: f32;
  kept: f32;
  most: f32;
}
