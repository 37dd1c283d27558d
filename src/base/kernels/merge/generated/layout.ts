/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const Source = {
  termCount: 0,
  text: 1,
  entries: 2,
  postings: 3,
  positions: 4,
  setOffsets: 5,
  setFields: 6,
  rowMap: 7,
  fieldMap: 8,
  ordinals: 9,
  forwardStarts: 10,
  forwardWords: 11,
  forwardBytes: 12,
  finalFields: 13,
  WORDS: 14,
} as const;
