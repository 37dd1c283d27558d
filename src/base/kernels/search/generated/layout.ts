/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const Segment = {
  rows: 0,
  setBytes: 1,
  setAt: 2,
  hasDeletes: 3,
  termCount: 4,
  text: 5,
  termBlocks: 6,
  blockKeys: 7,
  prefixFilter: 8,
  entries: 9,
  postings: 10,
  positions: 11,
  setOffsets: 12,
  setFields: 13,
  setCount: 14,
  fieldCount: 15,
  branchStarts: 16,
  branchSeconds: 17,
  branchCount: 18,
  forwardStarts: 19,
  forwardWords: 20,
  forwardWordBytes: 21,
  prefixes: 22,
  prefixCount: 23,
  docids: 24,
  lengthFields: 25,
  lengthRows: 26,
  lengthCounts: 27,
  tolerantSets: 28,
  searchedSets: 29,
  searchedTolerantSets: 30,
  searchedFields: 31,
  fieldWeights: 32,
  setWeights: 33,
  lightSets: 34,
  WORDS: 35,
} as const;

export const StoredPrefix = {
  first: 0,
  end: 1,
  rows: 2,
  bits: 3,
  ranks: 4,
  firsts: 5,
  masks: 6,
  WORDS: 7,
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
  many: 12,
  lightWeights: 13,
  findings: 14,
  findingsBytes: 15,
  tables: 16,
  tablesBytes: 17,
  sets: 18,
  setCount: 19,
  WORDS: 20,
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
  known: 12,
  WORDS: 13,
} as const;

export const KnownWords = {
  exists: 0,
  isCommonPrefix: 1,
  lastCompletion: 2,
  lastLength: 3,
  takesAll: 4,
  one: 5,
  oneCount: 6,
  two: 7,
  twoCount: 8,
  cut: 9,
  WORDS: 10,
} as const;

export const Text = {
  at: 0,
  length: 1,
  WORDS: 2,
} as const;

export const Request = {
  index: 0,
  room: 1,
  roomEnd: 2,
  universe: 3,
  isTrimmed: 4,
  nodes: 5,
  nodeCount: 6,
  termCount: 7,
  negatives: 8,
  negativeCount: 9,
  rules: 10,
  ruleCount: 11,
  strategy: 12,
  limit: 13,
  wanted: 14,
  hasThreshold: 15,
  wantsDetails: 16,
  thresholdLow: 17,
  thresholdHigh: 18,
  isDistinct: 19,
  isPart: 20,
  wantsWords: 21,
  hits: 22,
  hitCount: 23,
  candidates: 24,
  candidateCount: 25,
  isDegraded: 26,
  outputs: 27,
  tierOrder: 28,
  tierOrderCount: 29,
  words: 30,
  wordsEnd: 31,
  WORDS: 32,
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
  wordCount: 11,
  WORDS: 12,
} as const;

export const SegmentTerm = {
  segment: 0,
  ordinal: 1,
  WORDS: 2,
} as const;
