/** Characters in UTF-8, and what tables that the host fills say of them. */

/** What a character does: part of a word; a blank or control character in a word; part of a word outside ASCII. */
export const WORD: u32 = 0;
export const ODD: u32 = 1;
export const WIDE: u32 = 2;
/** Separators; the last one is hard together with a space behind it, else soft. */
export const SOFT: u32 = 3;
export const HARD: u32 = 4;
export const BEFORE_SPACE: u32 = 5;
/** A token of its own whose kind only the host knows. */
export const SYMBOL: u32 = 6;

export const WORD_BYTES_MAX: u32 = 250;

/** Characters from here on are in no table. */
export const CHARACTERS_END: u32 = 0x2c00;
/** First byte of a character in the table: 0 when nobody asked for it, 255 when the host decides, else its length + 1. */
export const CHARACTER_UNKNOWN: u32 = 0;
export const CHARACTER_ODD: u32 = 255;

/** Where the bytes of a character are, counted from its first. */
export const SECOND: usize = 1;
export const THIRD: usize = 2;
export const FOURTH: usize = 3;

/** Bytes of the character that begins with this byte. */
export function characterBytes(lead: u32): u32 {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** The code point that begins at an address. */
export function codePointAt(at: usize): u32 {
  const lead = <u32>load<u8>(at);
  if (lead < 0x80) return lead;
  const second = <u32>load<u8>(at, SECOND) & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at, THIRD) & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at, FOURTH) & 0x3f);
}

/** Latin letters, combining marks, general punctuation, symbols (U+0080-036F, U+1E00-1EFF, U+2000-2BFF), emoji (U+1F000-1FFFF). */
export function isLatinOrNone(lead: u32, second: u32): bool {
  if (lead < 0xcd) return true;
  if (lead === 0xcd) return second < 0xb0;
  if (lead === 0xe1) return second >= 0xb8 && second <= 0xbb;
  if (lead === 0xe2) return second < 0xb0;
  return lead === 0xf0 && second === 0x9f;
}

/** An ASCII letter in lower case; other bytes as they are. */
export function lowerCase(byte: u32): u32 {
  return byte + ((<u32>(byte - 0x41 < 26)) << 5);
}
