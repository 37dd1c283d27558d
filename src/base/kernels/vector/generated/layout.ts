/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const BLOCK_VECTORS = 32;
export const PLACES_STEP = 4;
export const FAR = 16_777_216;
export const SUM_STEPS = 1024;
export const DISTANCE_STEPS = 1024;
export const SCAN_ROOM_BYTES = 64;
export const LINKS_BELOW = 32;
export const LINKS_ABOVE = 16;
export const GRAPH_HEAD_WORDS = 32;
export const GRAPH_JOB_AHEAD = 32;
export const GRAPH_JOB_KEYS = 64;

export const Allowed = {
  rows: 0,
  rowList: 1,
  starts: 2,
  slots: 3,
  WORDS: 4,
} as const;

export const Steps = {
  first: 0,
  kept: 1,
  WORDS: 2,
} as const;

export const VectorSet = {
  starts: 0,
  rowList: 1,
  data: 2,
  factors: 3,
  stride: 4,
  rows: 5,
  query: 6,
  unit: 7,
  half: 8,
  WORDS: 9,
} as const;

export const BitCodeScan = {
  blocks: 0,
  blockBytes: 1,
  tables: 2,
  vectors: 3,
  rows: 4,
  rowList: 5,
  starts: 6,
  slots: 7,
  wanted: 8,
  keys: 9,
  size: 10,
  limit: 11,
  room: 12,
  places: 13,
  placeList: 14,
  slotList: 15,
  cellKeys: 16,
  cells: 17,
  firstBlocks: 18,
  cellSizes: 19,
  factor: 20,
  seen: 21,
  enough: 22,
  middle: 23,
  least: 24,
  reach: 25,
  isMany: 26,
  counts: 27,
  firstStep: 28,
  kept: 29,
  allCells: 30,
  sought: 31,
  bestStep: 32,
  best: 33,
  behind: 34,
  WORDS: 35,
} as const;

export const GraphWalk = {
  image: 0,
  codes: 1,
  scales: 2,
  stride: 3,
  query: 4,
  unit: 5,
  wanted: 6,
  rows: 7,
  rowList: 8,
  starts: 9,
  slots: 10,
  marks: 11,
  ahead: 12,
  aheadCapacity: 13,
  aheadSize: 14,
  found: 15,
  foundSize: 16,
  begun: 17,
  WORDS: 18,
} as const;

export const CellJob = {
  codes: 0,
  stride: 1,
  centres: 2,
  factors: 3,
  cells: 4,
  cellOf: 5,
  WORDS: 6,
} as const;

export const GraphJob = {
  image: 0,
  codes: 1,
  scales: 2,
  stride: 3,
  looked: 4,
  left: 5,
  next: 6,
  step: 7,
  topLayer: 8,
  topNode: 9,
  wide: 10,
  otherWide: 11,
  marks: 12,
  ahead: 13,
  found: 14,
  keys: 15,
  room: 16,
  WORDS: 17,
} as const;

export const PlaceSums = {
  all: 0,
  kept: 1,
  most: 2,
  WORDS: 3,
} as const;
