/**
 * Who the rows are: the internal id of each (ascending), the external id of each, and the way from an external id to
 * its row.
 *
 * External ids that are all canonical integers below 2^32 are kept as numbers; anything else as text. When such numbers
 * ascend with the rows they are found by binary search. Otherwise rows are grouped in buckets by the hash of their id:
 * `bucket_starts[b] .. bucket_starts[b + 1]` are the places in `bucket_rows` (two or four bytes a row) to look at.
 */

export const ROWS_PER_BUCKET = 4;
export const NUMBERS_END = 2 ** 32;

/** Spreads a 32-bit number over 32 bits. */
export function spread(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return spread(hash);
}

/** The bucket of a hash among `buckets`. */
export function bucketOf(hash: number, buckets: number): number {
  return Math.floor((hash / NUMBERS_END) * buckets);
}
