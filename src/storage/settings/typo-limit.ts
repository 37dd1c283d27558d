/** How many typos a word may have: none, one or two, by its length. Whoever asks says what length is counted in. */
import type { TypoTolerance } from "./values.ts";

export function typoLimit({ enabled, minWordSizeForTypos }: TypoTolerance, length: number): 0 | 1 | 2 {
  if (!enabled || length < minWordSizeForTypos.oneTypo) return 0;
  return length < minWordSizeForTypos.twoTypos ? 1 : 2;
}
