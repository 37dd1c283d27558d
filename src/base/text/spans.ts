/**
 * The tokens of a text as plain numbers, one text after the other in the same arrays: for marking words in documents, where
 * most tokens are looked at once and never kept. Gives exactly the tokens that `tokenize` gives.
 */
import type { Lemmas } from "./lemmas.ts";
import type { Origin } from "./origin.ts";
import {
  BEFORE_SPACE_UNIT,
  COMPLEX_UNIT,
  HARD_UNIT,
  type Patterns,
  SOFT_UNIT,
  takesSpace,
  WORD_UNIT,
} from "./patterns.ts";
import { type Token, WORD_BYTES_MAX } from "./token.ts";

/** Kinds of tokens; stop words are words. */
export const WORD_SPAN = 0;
export const SOFT_SPAN = 1;
export const HARD_SPAN = 2;

const FIRST_ROOM = 256;

export class TokenSpans {
  count = 0;
  /** In UTF-16 units, the end exclusive. */
  starts = new Uint32Array(FIRST_ROOM);
  ends = new Uint32Array(FIRST_ROOM);
  kinds = new Uint8Array(FIRST_ROOM);
  #text = "";
  /** Null for a word of visible ASCII, whose lemma is its lower case. */
  readonly #lemmas: (string | null)[] = [];
  readonly #scripts: number[] = [];
  readonly #languages: number[] = [];

  /** Begins with the tokens of another text. */
  reset(text: string): void {
    this.#text = text;
    this.count = 0;
  }

  /** A separator, or a word of visible ASCII. */
  addPlain(start: number, end: number, kind: number): void {
    const at = this.count++;
    if (at === this.starts.length) this.#grow();
    this.starts[at] = start;
    this.ends[at] = end;
    this.kinds[at] = kind;
    this.#lemmas[at] = null;
  }

  add(
    { kind, lemma }: Pick<Token, "kind" | "lemma">,
    start: number,
    end: number,
    script: number,
    language: number,
  ): void {
    this.addPlain(start, end, kind === "soft" ? SOFT_SPAN : kind === "hard" ? HARD_SPAN : WORD_SPAN);
    const at = this.count - 1;
    this.#lemmas[at] = lemma;
    this.#scripts[at] = script;
    this.#languages[at] = language;
  }

  /** Of a word. */
  lemma(at: number): string {
    return this.#lemmas[at] ?? this.#text.slice(this.starts[at], this.ends[at]).toLowerCase();
  }

  /** The first unit of the lemma of a word; NaN for an empty one. */
  firstUnit(at: number): number {
    const lemma = this.#lemmas[at]!;
    if (lemma !== null) return lemma.charCodeAt(0);
    const unit = this.#text.charCodeAt(this.starts[at]!);
    return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
  }

  /** Whether the lemma is the word itself in lower case, unit for unit. */
  isPlain(at: number): boolean {
    return this.#lemmas[at] === null;
  }

  /** A word that is not plain, with how it was normalized. */
  origin(at: number): Origin {
    return {
      start: this.starts[at]!,
      end: this.ends[at]!,
      script: this.#scripts[at]!,
      language: this.#languages[at]!,
    };
  }

  #grow(): void {
    const room = this.starts.length * 2;
    const { starts, ends, kinds } = this;
    this.starts = new Uint32Array(room);
    this.ends = new Uint32Array(room);
    this.kinds = new Uint8Array(room);
    this.starts.set(starts);
    this.ends.set(ends);
    this.kinds.set(kinds);
  }
}

/** Adds the tokens of a run that needs no segmenter. */
export function addRun(
  text: string,
  start: number,
  end: number,
  script: number,
  language: number,
  patterns: Patterns,
  lemmas: Lemmas,
  out: TokenSpans,
): void {
  const { classes, stopWords } = patterns;
  // Local names: a name of a module is looked up at every use.
  const wordUnit = WORD_UNIT;
  let at = start;
  while (at < end) {
    const from = at;
    const first = text.charCodeAt(at);
    const kind = classes[first]!;
    if (kind !== wordUnit) {
      const to = patternEnd(text, at, end, kind, patterns);
      if (to > 0) {
        at = to;
        if (kind === COMPLEX_UNIT) out.add(lemmas.at(text, from, to, script, language), from, to, script, language);
        else out.addPlain(from, to, kind === HARD_UNIT || to > from + 1 ? HARD_SPAN : SOFT_SPAN);
        continue;
      }
    }
    let plain = true;
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      const own = classes[unit]!;
      if (own !== wordUnit && (own !== COMPLEX_UNIT || patterns.match(text, at, end) > 0)) break;
      if (own !== wordUnit || unit > 0x7e || unit <= 0x20) plain = false;
    }
    if (plain && at - from <= WORD_BYTES_MAX && !stopWords.mayHave(first, at - from)) out.addPlain(from, at, WORD_SPAN);
    else out.add(lemmas.at(text, from, at, script, language), from, at, script, language);
  }
}

/** End of the separator or dictionary word that begins with a unit of that class, or -1. */
function patternEnd(text: string, at: number, end: number, kind: number, patterns: Patterns): number {
  if (kind === SOFT_UNIT || kind === HARD_UNIT) return at + 1;
  if (kind === BEFORE_SPACE_UNIT) return takesSpace(text, at, end) ? at + 2 : at + 1;
  return patterns.match(text, at, end);
}
