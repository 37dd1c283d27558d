/** Copies a valid JSON value without the white space between its tokens; numbers and strings keep their text. */
import type { ByteSink } from "../json/bytes.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

export function compactInto(bytes: Uint8Array, start: number, end: number, out: ByteSink): void {
  let runStart = start;
  let at = start;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at++;
      while (at < end) {
        const inner = bytes[at++]!;
        if (inner === QUOTE) break;
        if (inner === BACKSLASH) at++;
      }
    } else if (byte <= SPACE) {
      out.bytes(bytes, runStart, at);
      at++;
      while (at < end && bytes[at]! <= SPACE) at++;
      runStart = at;
    } else {
      at++;
    }
  }
  out.bytes(bytes, runStart, end);
}
