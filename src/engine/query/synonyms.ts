/**
 * What the settings give as synonyms of a word, or of several in a row. Read when a query asks for them first: there may be many
 * more of them than queries that have any, and so many for one word that reading them outlasts a search, which goes on then
 * with those that were read; the next one reads on.
 */
import type { Deadline } from "./deadline.ts";
import { compareText } from "./order.ts";

/** Words of a phrase; null stands for a stop word. */
export type Phrase = readonly (string | null)[];

/** A few hundred microseconds of reading. */
const TEXTS_PER_LOOK = 64;

export class SynonymList {
  readonly #lists: (readonly string[])[];
  readonly #wordsOf: (text: string) => string[];
  /** How many of them have been read: lists, and texts of the one that is being read. */
  #list = 0;
  #text = 0;
  readonly #each = new Map<string, string[]>();
  #whole: readonly string[][] | null = null;

  constructor(texts: readonly string[], wordsOf: (text: string) => string[]) {
    this.#lists = [texts];
    this.#wordsOf = wordsOf;
  }

  /** Before any of them is read. */
  add(texts: readonly string[]): void {
    this.#lists.push(texts);
  }

  /** Each once, in order. */
  read(clock: Deadline): readonly string[][] {
    if (this.#whole !== null) return this.#whole;
    const isWhole = this.#readOn(clock);
    const sorted = [...this.#each.values()].sort(comparePhrases);
    if (!isWhole) return sorted;
    this.#each.clear();
    this.#whole = sorted;
    return sorted;
  }

  #readOn(clock: Deadline): boolean {
    for (; this.#list < this.#lists.length; this.#list++, this.#text = 0) {
      const texts = this.#lists[this.#list]!;
      for (; this.#text < texts.length; this.#text++) {
        if (this.#text % TEXTS_PER_LOOK === TEXTS_PER_LOOK - 1 && clock.isOver()) return false;
        const words = this.#wordsOf(texts[this.#text]!);
        if (words.length > 0) this.#each.set(wordsKey(words), words);
      }
    }
    return true;
  }
}

export function wordsKey(words: readonly string[]): string {
  return words.join("\u0000");
}

export function samePhrase(a: Phrase, b: Phrase): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

function comparePhrases(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareText(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
