/**
 * The words of each row in the order in which they stand: a forward index. It tells which words of a few documents begin
 * with a prefix, and where they stand, without a look at the postings of thousands of terms.
 *
 * ForwardPart.starts: rows + 1 numbers of words before each row. Of a row, by field and position:
 *   ordinal << gap bits | gap   a term, so many positions behind what was told before: the highest stands for `lastGap`
 *   POSITION | position         what follows counts from that position
 *   FIELD | local field         what follows stands in that field, and counts from position 0
 *
 * A word takes 24 bits in `narrow`, which ends with NARROW_TAIL_BYTES zero bytes, so that words can be read four bytes at a time; or
 * 32 bits in `words` where there are more terms than 21 bits can number, and in segments written before there were narrow ones.
 */
/** How words of one width are written. */
export interface WordForm {
  bytes: number;
  gapBits: number;
  /** The highest code of a gap, and the gap that it stands for; others are their own. */
  lastCode: number;
  lastGap: number;
  field: number;
  position: number;
}

/** Sentences stand eight positions apart. */
export const NARROW: WordForm = {
  bytes: 3,
  gapBits: 3,
  lastCode: 7,
  lastGap: 8,
  field: 0xfe_0000,
  position: 0xff_0000,
};
export const WIDE: WordForm = {
  bytes: 4,
  gapBits: 8,
  lastCode: 255,
  lastGap: 255,
  field: 0xfe00_0000,
  position: 0xff00_0000,
};
/** Segments with more terms have wide words, or no such part: it does without. */
const NARROW_ORDINALS_MAX = 0x1f_c000;
const ORDINALS_MAX = 0xfe_0000;
export const NARROW_TAIL_BYTES = 4;

/** Null when there are too many terms. */
export function wordFormOf(termCount: number): WordForm | null {
  if (termCount < NARROW_ORDINALS_MAX) return NARROW;
  return termCount < ORDINALS_MAX ? WIDE : null;
}
