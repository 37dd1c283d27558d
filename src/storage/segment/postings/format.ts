/**
 * How the rows, field sets and positions of a term are packed. Terms found in a single row are wholly inside their
 * entry in the terms part; this is about the others.
 *
 * The form of a row is (field set << 1 | repeated): in which fields the term stands there, and whether it stands more
 * than once in one of them.
 *
 * PostingsPart.bytes, per term:
 * ```
 * varint  head: bits 0-1 = 2: all rows have one form and are one block; bits 2.. = its width, see below
 *               otherwise bit 0 = rows are a bitmap; bits 2.. = number of forms
 * varint  each form, in order of first use
 * skips   for every block of 128 rows but the first: u32 row before the block, u32 offset of its positions in the
 *         term's positions, and unless the rows are a bitmap u32 offset of the block in `rows`
 * codes   per row the number of its form in the list above, in as few bits as the list needs (none for one form)
 * rows    one bit per row of the segment; or blocks of 128 (the last one shorter): a byte with the width (not for
 *         head 2), then gaps (row - previous - 1, the first one from -1) of that many bits
 * ```
 * Bits fill bytes from the lowest up. Eight zero bytes end the part, so that bits can be read four bytes at a time.
 *
 * PositionsPart.bytes, per term and row, for each field of the row's set in ascending order: the position as a varint;
 * or for a repeated form varints (position << 1 | more), later ones of the field (position - previous) << 1 | more.
 *
 * Gaps of a term in every nth row take about log2(n) + 2.3 bits: more than n bits when n is 4 or less. Terms in every sixteenth row or more are
 * bitmaps: those are the ones that queries are full of, and a bitmap is added to a set at once, gaps one by one.
 */

export const ROWS_PER_BLOCK = 128;
export const BLOCK_SHIFT = 7;
export const BITMAP_SKIP_BYTES = 8;
export const GAPS_SKIP_BYTES = 12;
export const POSTINGS_TAIL_BYTES = 8;
export const HEAD_ONE_FORM_ONE_BLOCK = 2;

/** An occurrence as one number: local field id above, position below. Orders by field, then position. */
export const FIELD_SHIFT = 16;

/** Bits that number `forms` different things. */
export function codeBits(forms: number): number {
  return forms <= 1 ? 0 : 32 - Math.clz32(forms - 1);
}
