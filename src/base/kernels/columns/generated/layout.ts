/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const Texts = {
  numberCount: 0,
  stringCount: 1,
  stringOffsets: 2,
  stringBytes: 3,
  spellingStarts: 4,
  spellingOffsets: 5,
  spellingBytes: 6,
  WORDS: 7,
} as const;

export const CodeRange = {
  first: 0,
  reach: 1,
  WORDS: 2,
} as const;
