/**
 * The words of each row in the order in which they stand: a forward index. It tells which words of a few documents begin
 * with a prefix, and where they stand, without a look at the postings of thousands of terms.
 *
 * ForwardPart.starts: rows + 1 offsets into `words`. Of a row, by field and position, 32 bits each:
 *   ordinal << 8 | gap       a term, so many positions behind what was told before
 *   POSITION | position      what follows counts from that position
 *   FIELD | local field      what follows stands in that field, and counts from position 0
 */

export const GAP_BITS = 8;
export const GAP_MAX = 2 ** GAP_BITS - 1;
/** Segments of more terms have no such part: it does without. */
export const ORDINALS_MAX = 0xfe_0000;
export const FIELD = 0xfe00_0000;
export const POSITION = 0xff00_0000;
/** Of what comes with the two. */
export const VALUE_MASK = 0xffff;
