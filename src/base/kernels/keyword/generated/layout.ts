/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const Ref = {
  docCount: 0,
  postings: 1,
  positions: 2,
  row: 3,
  form: 4,
  WORDS: 5,
} as const;
