/**
 * Reads bytes one after the other, and numbers that take seven bits of each byte, the lowest first. Where it stands is
 * part of the call under way: `readFrom` comes first, so nothing lasts from one call to the next.
 */

/** Where reading goes on. */
export let at: usize = 0;

export function readFrom(start: usize): void {
  at = start;
}

export function readByte(): u32 {
  return load<u8>(at++);
}

export function readNumber(): u32 {
  let byte = <u32>load<u8>(at++);
  let value = byte & 0x7f;
  for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
    byte = load<u8>(at++);
    value |= (byte & 0x7f) << shift;
  }
  return value;
}
