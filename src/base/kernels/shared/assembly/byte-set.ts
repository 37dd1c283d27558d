/**
 * Sets of ASCII characters that sixteen bytes at once are looked up in: sixteen bytes, one for each lower half of a byte, with
 * a bit for each upper half. A byte is in the set when what its two halves stand for have a bit in common.
 */

export const SET_BYTES: usize = 16;

export function addTo(set: usize, byte: u32): void {
  const at = set + (byte & 15);
  store<u8>(at, <u32>load<u8>(at) | ((<u32>1) << (byte >> 4)));
}

/** By upper half. Bytes from 0x80 on are in no set. */
export function upperBits(): v128 {
  return i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
}
