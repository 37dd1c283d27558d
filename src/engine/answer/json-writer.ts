/** JSON written piece by piece into an answer: texts and the pieces of texts that are spliced together. */
import type { ByteSink } from "../../base/json/bytes.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Appends a JSON string. */
export function writeJsonString(out: ByteSink, text: string): void {
  out.byte(QUOTE);
  writeJsonText(out, text);
  out.byte(QUOTE);
}

/** Appends the inside of a JSON string: the text with what must be escaped escaped. */
export function writeJsonText(out: ByteSink, text: string): void {
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x20 && unit !== QUOTE && unit !== BACKSLASH) continue;
    if (from < at) out.utf8(text.slice(from, at));
    out.ascii(JSON.stringify(text[at]).slice(1, -1));
    from = at + 1;
  }
  if (from === 0) out.utf8(text);
  else if (from < text.length) out.utf8(text.slice(from));
}
