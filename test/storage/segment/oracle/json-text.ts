/** The UTF-8 text of a JSON string with escapes, written to bytes; the string is known to be valid JSON. */

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;

/** What `\b`, `\f`, `\n`, `\r`, `\t` stand for; other escaped characters stand for themselves. */
const ESCAPED = Uint8Array.from({ length: 128 }, (_, byte) => byte);
ESCAPED[0x62] = 0x08;
ESCAPED[0x66] = 0x0c;
ESCAPED[0x6e] = 0x0a;
ESCAPED[0x72] = 0x0d;
ESCAPED[0x74] = 0x09;

/** Unescapes `bytes[start, end)` to the beginning of `into`, which has room for it; returns the length. */
export function unescapeJson(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let length = 0;
  let at = start;
  while (at < end) {
    const byte = bytes[at++]!;
    if (byte !== BACKSLASH) {
      into[length++] = byte;
      continue;
    }
    const kind = bytes[at++]!;
    if (kind !== SMALL_U) {
      into[length++] = ESCAPED[kind]!;
      continue;
    }
    let point = hexUnit(bytes, at);
    at += 4;
    if ((point & 0xfc00) === 0xd800 && bytes[at] === BACKSLASH && bytes[at + 1] === SMALL_U && at + 6 <= end) {
      const low = hexUnit(bytes, at + 2);
      if ((low & 0xfc00) === 0xdc00) {
        point = 0x10000 + ((point & 0x3ff) << 10) + (low & 0x3ff);
        at += 6;
      }
    }
    length = writePoint(into, length, (point & 0xf800) === 0xd800 && point < 0x10000 ? 0xfffd : point);
  }
  return length;
}

function hexUnit(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i]!;
    unit = (unit << 4) | (byte <= 0x39 ? byte - 0x30 : (byte & 0x5f) - 0x37);
  }
  return unit;
}

/** UTF-8 of a code point at `at`; returns the offset behind it. */
function writePoint(into: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    into[at++] = point;
  } else if (point < 0x800) {
    into[at++] = 0xc0 | (point >> 6);
    into[at++] = 0x80 | (point & 0x3f);
  } else if (point < 0x10000) {
    into[at++] = 0xe0 | (point >> 12);
    into[at++] = 0x80 | ((point >> 6) & 0x3f);
    into[at++] = 0x80 | (point & 0x3f);
  } else {
    into[at++] = 0xf0 | (point >> 18);
    into[at++] = 0x80 | ((point >> 12) & 0x3f);
    into[at++] = 0x80 | ((point >> 6) & 0x3f);
    into[at++] = 0x80 | (point & 0x3f);
  }
  return at;
}

/** UTF-8 of a text at the beginning of `into`, which has room for three bytes per unit; returns the length. */
export function writeUtf8(text: string, into: Uint8Array): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      into[length++] = unit;
      continue;
    }
    let point = unit;
    if ((unit & 0xf800) === 0xd800) {
      const low = text.charCodeAt(i + 1);
      const paired = unit < 0xdc00 && (low & 0xfc00) === 0xdc00;
      point = paired ? 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff) : 0xfffd;
      if (paired) i++;
    }
    length = writePoint(into, length, point);
  }
  return length;
}
