/**
 * How many indexed words a row has in a field, known only for one to thirty words.
 *
 * FieldLengthsPart.fields, four numbers per local field: encoding; then
 *   ALL_EQUAL: the count, zero, zero: every row of the segment has it
 *   EVERY_ROW: zero, zero, offset in counts: one byte per row of the segment, 0 = not known
 *   SOME_ROWS: number of rows, offset in rows, offset in counts: ascending rows and a byte for each
 */

export const ALL_EQUAL = 0;
export const EVERY_ROW = 1;
export const SOME_ROWS = 2;
export const FIELD_LENGTHS_WORDS = 4;
/** What one row costs in SOME_ROWS. */
export const SOME_ROWS_BYTES = 5;
