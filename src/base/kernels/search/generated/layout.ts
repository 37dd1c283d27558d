/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const Segment = {
  rows: 0,
  setBytes: 1,
  setAt: 2,
  hasDeletes: 3,
  termCount: 4,
  text: 5,
  termBlocks: 6,
  entries: 7,
  postings: 8,
  positions: 9,
  setOffsets: 10,
  setFields: 11,
  fieldCount: 12,
  branchStarts: 13,
  branchSeconds: 14,
  branchCount: 15,
  forwardStarts: 16,
  forwardWords: 17,
  forwardWordBytes: 18,
  docids: 19,
  factFields: 20,
  factRows: 21,
  factCounts: 22,
  tolerantSets: 23,
  searchedSets: 24,
  searchedTolerantSets: 25,
  searchedFields: 26,
  fieldWeights: 27,
  setWeights: 28,
  weightlessSets: 29,
  WORDS: 30,
} as const;

export const Index = {
  segments: 0,
  segmentCount: 1,
  setBytes: 2,
  live: 3,
  hasDeletes: 4,
  toleratesEverywhere: 5,
  limitsNumbers: 6,
  numberRanges: 7,
  numberRangeCount: 8,
  isRestricted: 9,
  byAttribute: 10,
  heaviest: 11,
  findings: 12,
  findingsBytes: 13,
  tables: 14,
  tablesBytes: 15,
  sets: 16,
  setCount: 17,
  WORDS: 18,
} as const;

export const PhraseInput = {
  count: 0,
  WORDS: 1,
} as const;

export const NodeInput = {
  text: 0,
  length: 1,
  phrase: 2,
  isPrefix: 3,
  typos: 4,
  first: 5,
  last: 6,
  from: 7,
  to: 8,
  seam: 9,
  synonyms: 10,
  synonymCount: 11,
  WORDS: 12,
} as const;

export const Request = {
  index: 0,
  room: 1,
  roomEnd: 2,
  universe: 3,
  nodes: 4,
  nodeCount: 5,
  termCount: 6,
  negatives: 7,
  negativeCount: 8,
  rules: 9,
  ruleCount: 10,
  strategy: 11,
  limit: 12,
  wanted: 13,
  hasThreshold: 14,
  wantsDetails: 15,
  thresholdLow: 16,
  thresholdHigh: 17,
  isDistinct: 18,
  hits: 19,
  hitCount: 20,
  candidates: 21,
  candidateCount: 22,
  isDegraded: 23,
  outputs: 24,
  tierOrder: 25,
  tierOrderCount: 26,
  WORDS: 27,
} as const;

export const HitDetail = {
  cost: 0,
  most: 1,
  WORDS: 2,
} as const;

export const Hit = {
  segment: 0,
  row: 1,
  docid: 2,
  details: 3,
  WORDS: 4,
} as const;

export const NodeOutput = {
  exists: 0,
  isCommonPrefix: 1,
  ranges: 2,
  completions: 3,
  completionCount: 4,
  hasTiers: 5,
  one: 6,
  oneCount: 7,
  two: 8,
  twoCount: 9,
  cut: 10,
  WORDS: 11,
} as const;

export const SegmentTerm = {
  segment: 0,
  ordinal: 1,
  WORDS: 2,
} as const;
