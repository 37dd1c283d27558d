/** Marks that the server puts around what matched, as a terminal shows them. */
import type { Colours } from "./terminal.ts";

/** Two characters that no text uses. */
export const MARK_BEGIN = "\u{e000}";
export const MARK_END = "\u{e001}";

const MARKED = new RegExp(`${MARK_BEGIN}([^${MARK_END}]*)${MARK_END}?`, "gu");
const OTHERS = new RegExp(`[${MARK_BEGIN}${MARK_END}]`, "gu");

export function withMarks(text: string, colours: Colours): string {
  return text.replaceAll(MARKED, (_, word: string) => colours.bold(colours.yellow(word))).replaceAll(OTHERS, "");
}
