/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const OddNumber = {
  number: 0,
  at: 1,
  length: 2,
  WORDS: 3,
} as const;

export const Taken = {
  start: 0,
  length: 1,
  WORDS: 2,
} as const;

export const ColumnOrder = {
  stringCount: 0,
  spellingCount: 1,
  stringOffsets: 2,
  stringBytes: 3,
  spellingStarts: 4,
  spellingOffsets: 5,
  spellingBytes: 6,
  spellingRanks: 7,
  stringRanks: 8,
  WORDS: 9,
} as const;

export const CommonPrefix = {
  first: 0,
  end: 1,
  rows: 2,
  at: 3,
  bytes: 4,
  WORDS: 5,
} as const;
