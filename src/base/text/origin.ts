/** Maps the beginning of a lemma back to the text it came from, so that a prefix match can be marked there. */
import { lossyForm, strictForm } from "./normalizers.ts";
import type { Token } from "./token.ts";

/** A token's place, and how it was normalized. */
export type Origin = Pick<Token, "start" | "end" | "script" | "language">;

/**
 * Where, in UTF-16 units of `text`, the first `lemmaBytes` bytes of the token's lemma end: after the fewest characters
 * whose normalized form has that many bytes. A combining mark that follows stays outside.
 */
export function originalEnd(text: string, token: Origin, lemmaBytes: number): number {
  let at = token.start;
  let bytes = 0;
  while (at < token.end && bytes < lemmaBytes) {
    const character = String.fromCodePoint(text.codePointAt(at)!);
    bytes += Buffer.byteLength(lossyForm(strictForm(character, token.language), token.script, token.language));
    at += character.length;
  }
  return at;
}
