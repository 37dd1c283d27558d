/** Reads single characters out of valid UTF-8 bytes, without making strings until a word needs one. */

/** Bytes of the character that begins with this byte. */
function characterBytes(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The code point that begins at `at`. */
export function codePointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return lead;
  const second = bytes[at + 1]! & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = bytes[at + 2]! & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
}

/** The text of a few bytes: quicker than a decoder for the length of a word. */
export function decodeWord(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at += characterBytes(bytes[at]!)) text += String.fromCodePoint(codePointAt(bytes, at));
  return text;
}
