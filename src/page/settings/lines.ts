/** Lists of names as people type them. */

/** One a line; a list in JSON may be pasted, too. */
export function readLines(text: string): unknown[] {
  if (text.startsWith("[")) {
    try {
      return JSON.parse(text) as unknown[];
    } catch {
      // Not whole yet, or a name that begins so.
    }
  }
  return text === "" ? [] : text.split("\n");
}
