/**
 * How the vocabulary is packed (front coding): terms in byte order, in blocks of sixteen. Text and entries are apart so that a walk
 * over the words does not pass the entries.
 *
 * TermsPart.text, per block: the first term as varint length and bytes; each other one as a byte
 * (shared << 4 | suffix - 1), where a half equal to 15 is continued by a varint holding what exceeds 15 (shared first),
 * then the bytes after the part shared with the term before.
 *
 * TermsPart.entries, per term: varint number of rows; for one row: varint row, varint form, its positions as in
 * the positions part; for more: varint bytes in the postings part, varint bytes in the positions part.
 *
 * TermsPart.block_offsets, four numbers per block and once more at the end: offsets in text, entries, postings and
 * positions where the block begins.
 *
 * TermsPart.prefix_filter: a Bloom filter of what they begin with, one to eight letters, in lines of
 * 64 bytes, and the letters that follow others in these, both ascending: those of letters[i] are in followers from follower_starts[i]
 * to follower_starts[i + 1]. How a beginning is hashed: `prefix-hash.ts` of the kernels.
 */

export const TERMS_PER_BLOCK = 16;
export const TERM_BLOCK_SHIFT = 4;
export const BLOCK_WORDS = 4;
export const NIBBLE_FULL = 15;
/** Of a prefix filter, and of the cache. */
export const FILTER_LINE_BYTES = 64;
