/** Ids that are numbers. */

const ZERO: u32 = 0x30;
const DIGITS_MAX: u32 = 10;

/** The number below 2^32 that the id `[start, start + length)` is the canonical decimal text of; -1 when it is none. */
export function idNumber(start: usize, length: u32): i64 {
  if (length === 0 || length > DIGITS_MAX || (length > 1 && load<u8>(start) === ZERO)) return -1;
  let value: i64 = 0;
  for (let at = start; at < start + length; at++) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value > <i64>u32.MAX_VALUE ? -1 : value;
}
