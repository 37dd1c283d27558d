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
import { type FlatSlot, wordsVector } from "../flat-table.ts";

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
/** Of what comes with FIELD and POSITION. */
export const VALUE_MASK = 0xffff;
export const NARROW_TAIL_BYTES = 4;
const PIECE_WORDS = 1 << 17;

/** Null when there are too many terms. */
export function wordFormOf(termCount: number): WordForm | null {
  if (termCount < NARROW_ORDINALS_MAX) return NARROW;
  return termCount < ORDINALS_MAX ? WIDE : null;
}

/** How a gap is told with a term; -1 when its position has to be told before. */
export function gapCode({ lastCode, lastGap }: WordForm, gap: number): number {
  if (gap < lastCode) return gap;
  return gap === lastGap ? lastCode : -1;
}

/** The fields of the part. */
export function forwardSlots(form: WordForm, starts: Uint32Array, words: Uint32Array): FlatSlot[] {
  if (form === WIDE) return [wordsVector(starts), wordsVector(words)];
  const byteLength = words.length * NARROW.bytes + NARROW_TAIL_BYTES;
  return [wordsVector(starts), null, { chunks: narrowed(words), byteLength, elementBytes: 1 }];
}

/** Made while they are written, so that there is never a copy of them all. */
function* narrowed(words: Uint32Array): Generator<Uint8Array> {
  for (let first = 0; first < words.length; first += PIECE_WORDS) {
    const end = Math.min(words.length, first + PIECE_WORDS);
    const piece = new Uint8Array((end - first) * NARROW.bytes);
    for (let i = first, at = 0; i < end; i++) {
      const word = words[i]!;
      piece[at++] = word;
      piece[at++] = word >>> 8;
      piece[at++] = word >>> 16;
    }
    yield piece;
  }
  yield new Uint8Array(NARROW_TAIL_BYTES);
}
