/**
 * Patterns that begin with the same unit: which is the longest that begins at this place of a text? A dictionary may have a
 * million of them, so a place costs as many steps as units of the text match, however many patterns there are.
 */
import { firstWhere } from "../sorted/binary-search.ts";

export class PatternGroup {
  readonly #patterns: string[] = [];
  /** By UTF-16 unit, from the first question on: many are built that nobody asks. */
  #isSorted = false;

  /** Not empty, not there yet, before anything is asked. */
  add(pattern: string): void {
    this.#patterns.push(pattern);
  }

  get size(): number {
    return this.#patterns.length;
  }

  has(pattern: string): boolean {
    return this.#patterns.includes(pattern);
  }

  get hasLonger(): boolean {
    return this.#patterns.some(({ length }) => length > 1);
  }

  /** End of the longest one, which fits before `end`; -1 if there is none. The unit at `at` is the one they begin with. */
  longestEnd(text: string, at: number, end: number): number {
    const patterns = this.#patterns;
    if (!this.#isSorted) patterns.sort();
    this.#isSorted = true;
    let found = -1;
    let from = 0;
    let to = patterns.length;
    for (let depth = 1; ; depth++) {
      // All from `from` to `to` share their first `depth` units with the text.
      if (patterns[from]!.length === depth) {
        found = at + depth;
        from++;
      }
      if (from === to || at + depth >= end) return found;
      const unit = text.charCodeAt(at + depth);
      from = this.#firstFrom(unit, depth, from, to);
      to = this.#firstFrom(unit + 1, depth, from, to);
      if (from === to) return found;
    }
  }

  /** The first in the range whose unit at this depth is not below. */
  #firstFrom(unit: number, depth: number, from: number, to: number): number {
    return firstWhere(from, to, (place) => this.#patterns[place]!.charCodeAt(depth) >= unit);
  }
}
