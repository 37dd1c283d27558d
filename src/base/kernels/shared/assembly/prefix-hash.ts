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
/** Of a quarter. */
const FIRST_MASK: u32 = 127;
const FIRST_SHIFT: u32 = 25;

/** The hash of a beginning that is one letter longer. */
export function hashWith(hash: u32, letter: u32): u32 {
  const mixed = (hash ^ letter) * MIX;
  return mixed ^ (mixed >> 15);
}

/** Where the line is that has everything a letter longer than a beginning, in a filter of so many lines. */
export function lineOf(hash: u32, lines: u32): usize {
  return (<usize>((<u64>hash * lines) >> 32)) << LINE_SHIFT;
}

/**
 * Two bits of the line of a beginning for a letter that it goes on with: the first in a quarter of the line, where sixteen
 * letters can be looked for at once, the second anywhere in it.
 */
export function firstBit(hash: u32, letter: u32): u32 {
  return ((<u32>quarterOf(hash)) << 3) + (((letter * MIX) >> FIRST_SHIFT) ^ turnOf(hash));
}

export function secondBit(hash: u32, letter: u32): u32 {
  return (((letter * MIX) >> 16) ^ (hash >> 9)) & BIT_MASK;
}

/** Where in the line of a beginning the quarter is. */
function quarterOf(hash: u32): usize {
  return (<usize>(hash & 3)) << 4;
}

/** Other beginnings have the bits of letters elsewhere in their quarters. */
function turnOf(hash: u32): u32 {
  return (hash >> 2) & FIRST_MASK;
}

/** Which of sixteen letters, u32 each, have the first bit set in the line of a beginning. */
export function withFirstBit(line: usize, hash: u32, letters: usize): u32 {
  const pairs = i16x8.narrow_i32x4_s(firstBits(letters), firstBits(letters + 16));
  const others = i16x8.narrow_i32x4_s(firstBits(letters + 32), firstBits(letters + 48));
  const bits = v128.xor(i8x16.narrow_i16x8_s(pairs, others), i8x16.splat(<i8>turnOf(hash)));
  const bytes = i8x16.swizzle(v128.load(line + quarterOf(hash)), i8x16.shr_u(bits, 3));
  const masks = i8x16.swizzle(
    i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0),
    v128.and(bits, i8x16.splat(7)),
  );
  return i8x16.bitmask(i8x16.ne(v128.and(bytes, masks), i8x16.splat(0)));
}

function firstBits(letters: usize): v128 {
  return i32x4.shr_u(i32x4.mul(v128.load(letters), i32x4.splat(MIX)), FIRST_SHIFT);
}

export function hasBit(line: usize, bit: u32): bool {
  return ((load<u8>(line + (bit >> 3)) >> (<u8>bit & 7)) & 1) !== 0;
}

export function setBit(line: usize, bit: u32): void {
  const at = line + (bit >> 3);
  store<u8>(at, load<u8>(at) | ((<u8>1) << (<u8>bit & 7)));
}
