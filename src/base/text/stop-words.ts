/** The stop words of an index, in the strict form in which tokens are compared to them, with a quick way to say no. */
import { NO_LANGUAGE } from "./languages.ts";
import { strictForm } from "./normalizers.ts";

/** Stop words of this length or more share one bit. */
const LENGTH_BIT_MAX = 31;

export class StopWords {
  readonly #words = new Set<string>();
  /** For each ASCII first character, the lengths of its stop words as bits. */
  readonly #lengths = new Uint32Array(128);

  constructor(words: Iterable<string>) {
    for (const written of words) {
      const word = strictForm(written, NO_LANGUAGE);
      const first = word.charCodeAt(0);
      if (word.length === 0 || this.#words.has(word)) continue;
      this.#words.add(word);
      if (first > 127) continue;
      this.#lengths[first]! |= 1 << Math.min(word.length, LENGTH_BIT_MAX);
    }
  }

  has(strict: string): boolean {
    return this.#words.has(strict);
  }

  /** False if no stop word has this ASCII first character and this length. */
  mayHave(first: number, length: number): boolean {
    return (this.#lengths[first]! & (1 << Math.min(length, LENGTH_BIT_MAX))) !== 0;
  }

  /** The lengths of stop words as bits, by ASCII first character; the highest bit stands for all from there on. */
  lengthBits(): Uint32Array {
    return this.#lengths;
  }

  /** UTF-8 of all stop words. */
  spellings(): Buffer[] {
    return [...this.#words].map((word) => Buffer.from(word));
  }
}
