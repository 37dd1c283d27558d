/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */

export const SCRATCH_BYTES = 12_288;
export const LETTERS_MAX = 250;
export const KEY_MARGIN_BYTES = 4;
export const NO_LETTER = 4_294_967_295;

export const Terms = {
  text: 0,
  blocks: 1,
  keys: 2,
  WORDS: 3,
} as const;

export const Range = {
  first: 0,
  end: 1,
  WORDS: 2,
} as const;

export const Halves = {
  left: 0,
  right: 1,
  WORDS: 2,
} as const;

export const FuzzyWord = {
  letters: 0,
  letterCount: 1,
  limit: 2,
  isPrefix: 3,
  WORDS: 4,
} as const;

export const Near = {
  first: 0,
  end: 1,
  distance: 2,
  WORDS: 3,
} as const;

export const PrefixFilter = {
  bits: 0,
  lines: 1,
  letters: 2,
  letterCount: 3,
  starts: 4,
  followers: 5,
  WORDS: 6,
} as const;
