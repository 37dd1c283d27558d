/**
 * Prefixes of up to four bytes with which so many places of words begin that finding out their rows would keep a search
 * waiting: at least 65,536 places, and one for every eight rows. Only in segments with up to eight fields.
 *
 * CommonPrefixesPart.prefixes, three numbers each: the first term that begins so, the one behind the last, and how many
 * rows have one. In the order of the last terms, longer prefixes first.
 *
 * CommonPrefixesPart.tables, for each of them, every list filled up to 16 bytes:
 *   the rows as bits, (rows + 127) / 128 times 16 bytes
 *   u32 by 64 rows: how many have one before
 *   u16 by rank: the first position in any field
 *   u8 by rank: bit f for field f
 */
export const PREFIX_WORDS = 3;

/** Offsets of the lists in the table of a prefix that `ranked` of all rows have, and its length. */
export function tableLayout(rows: number, ranked: number) {
  const bitBytes = Math.ceil(rows / 128) * 16;
  const ranks = bitBytes;
  const firsts = ranks + aligned(bitBytes / 2);
  const masks = firsts + aligned(2 * ranked);
  return { ranks, firsts, masks, bytes: masks + aligned(ranked) };
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
