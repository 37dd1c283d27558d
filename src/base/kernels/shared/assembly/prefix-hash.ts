/**
 * A Bloom filter of what terms begin with, one to LETTERS letters (Bloom 1970, "Space/time trade-offs in hash coding with
 * allowable errors"): all that are a letter longer than another are two bits each of one line of the cache
 * (Putze, Sanders, Singler 2007, "Cache-, Hash- and Space-Efficient Bloom Filters"). What it says no to, no term begins with.
 */

/** Longer beginnings are as many as terms, and hardly tell any apart. */
export const LETTERS: u32 = 8;
export const NO_LETTERS: u32 = 0x811c_9dc5;

const MIX: u32 = 0x9e37_79b1;
/** Bytes of a line, of the cache too, and its bits. */
const LINE_SHIFT: usize = 6;
const BIT_MASK: u32 = 511;

/** The hash of a beginning that is one letter longer. */
export function hashWith(hash: u32, letter: u32): u32 {
  const mixed = (hash ^ letter) * MIX;
  return mixed ^ (mixed >> 15);
}

/** Where the line is that has everything a letter longer than a beginning, in a filter of so many lines. */
export function lineOf(hash: u32, lines: u32): usize {
  return (<usize>((<u64>hash * lines) >> 32)) << LINE_SHIFT;
}

/** Two bits of the line of a beginning for a letter that it goes on with. Cheap: most letters that are asked for are none. */
export function firstBit(hash: u32, letter: u32): u32 {
  return ((letter * MIX) >> 23) ^ (hash & BIT_MASK);
}

export function secondBit(hash: u32, letter: u32): u32 {
  return (((letter * MIX) >> 14) ^ (hash >> 9)) & BIT_MASK;
}

export function hasBit(line: usize, bit: u32): bool {
  return ((load<u8>(line + (bit >> 3)) >> (<u8>bit & 7)) & 1) !== 0;
}

export function setBit(line: usize, bit: u32): void {
  const at = line + (bit >> 3);
  store<u8>(at, load<u8>(at) | ((<u8>1) << (<u8>bit & 7)));
}
