/** Passes over values of JSON that is known to be valid. */

export const QUOTE: u32 = 0x22;
export const BACKSLASH: u32 = 0x5c;
export const SPACE: u32 = 0x20;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OBJECT_START: u32 = 0x7b;
export const OBJECT_END: u32 = 0x7d;
export const ARRAY_START: u32 = 0x5b;
export const ARRAY_END: u32 = 0x5d;

/** Whether white space was met outside strings since it was last set to false. */
export let spaced: bool = false;

export function forgetSpaces(): void {
  spaced = false;
}

/** Whether the string that was passed last has escapes. */
export let hadEscapes: bool = false;

/** Behind the string that opens at `at`. */
export function stringEnd(at: usize): usize {
  let to = at + 1;
  hadEscapes = false;
  while (true) {
    const chunk = v128.load(to);
    const found = i8x16.bitmask(
      v128.or(i8x16.eq(chunk, i8x16.splat(<i8>QUOTE)), i8x16.eq(chunk, i8x16.splat(<i8>BACKSLASH))),
    );
    if (found === 0) {
      to += 16;
      continue;
    }
    to += ctz(found);
    if (load<u8>(to) === QUOTE) break;
    hadEscapes = true;
    to += 2;
  }
  return to + 1;
}

/** At the first byte that is no white space, nor the one separator that may stand there. */
export function passSpaces(from: usize, separator: u32): usize {
  let at = from;
  let byte = <u32>load<u8>(at);
  while (byte <= SPACE || byte === separator) {
    if (byte <= SPACE) spaced = true;
    byte = load<u8>(++at);
  }
  return at;
}

/** Behind the value that begins at `at`. */
export function valueEnd(at: usize): usize {
  const byte = <u32>load<u8>(at);
  if (byte === QUOTE) return stringEnd(at);
  return byte === OBJECT_START || byte === ARRAY_START ? containerEnd(at) : plainEnd(at);
}

export function plainEnd(from: usize): usize {
  let at = from;
  let byte = <u32>load<u8>(at);
  while (byte > SPACE && byte !== COMMA && byte !== OBJECT_END && byte !== ARRAY_END) byte = load<u8>(++at);
  return at;
}

function containerEnd(from: usize): usize {
  let at = from;
  let open: u32 = 0;
  while (true) {
    const byte = <u32>load<u8>(at);
    if (byte === QUOTE) {
      at = stringEnd(at);
      continue;
    }
    at++;
    if (byte === OBJECT_START || byte === ARRAY_START) {
      open++;
    } else if (byte === OBJECT_END || byte === ARRAY_END) {
      if (--open === 0) break;
    } else if (byte <= SPACE) {
      spaced = true;
    }
  }
  return at;
}
