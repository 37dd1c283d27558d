/**
 * What a word of a query may stand for, as far as that follows from the words of all documents: whether it is one of them, which
 * of them it begins, which are spelled alike, where it can be cut. Here it is asked of the vocabulary of the index itself.
 */
import type { Corpus } from "./corpus.ts";
import { compareText } from "./order.ts";
import { countTogether } from "./phrases.ts";
import type { Phrase } from "./synonyms.ts";
import { type TypoWords, typoWords } from "./typos.ts";
import type { Vocabulary, Word } from "./vocabulary.ts";

export const COMPLETIONS_MAX = 1000;

/** A term of a query as it is spelled. */
export interface Spelling {
  readonly word: string;
  readonly prefix: boolean;
  /** Typos allowed. */
  readonly typos: number;
  /** The words that were joined, for a term made of several. */
  readonly joined: readonly string[] | null;
}

/** Words with typos, and the two words it may have been. */
export interface Tiers extends TypoWords {
  split: Phrase | null;
}

export interface Lexicon {
  /** Whether some document has the word. */
  has(word: Word): boolean;
  /** Whether so many words begin with `prefix` that they are searched as one. */
  isCommonPrefix(prefix: string): boolean;
  /** The first words that begin with `prefix`, in byte order, without itself. */
  completions(prefix: string): readonly Word[];
  tiers(term: Spelling): Tiers;
}

export class CorpusLexicon implements Lexicon {
  readonly #corpus: Corpus;
  readonly #vocabulary: Vocabulary;
  readonly #byAttribute: boolean;

  constructor(corpus: Corpus, byAttribute: boolean) {
    this.#corpus = corpus;
    this.#vocabulary = corpus.vocabulary;
    this.#byAttribute = byAttribute;
  }

  has({ exists }: Word): boolean {
    return exists;
  }

  isCommonPrefix(prefix: string): boolean {
    const vocabulary = this.#vocabulary;
    return vocabulary.finding(`common ${prefix}`, () => vocabulary.isCommonPrefix(prefix));
  }

  completions(prefix: string): readonly Word[] {
    const vocabulary = this.#vocabulary;
    return vocabulary.finding(`begin ${prefix}`, () => vocabulary.completions(prefix, COMPLETIONS_MAX));
  }

  tiers(term: Spelling): Tiers {
    const { prefix, typos, word } = term;
    const find = (): TypoWords => typoWords(this.#vocabulary, word, typos, prefix);
    const { one, two } = this.#vocabulary.finding(`${typos}${prefix ? "p" : "w"} ${word}`, find);
    for (const found of inOrder(one, two)) this.#corpus.meet(found);
    return { one, two, split: this.#findSplit(term) };
  }

  #findSplit({ joined, word }: Spelling): Phrase | null {
    const corpus = this.#corpus;
    const cuts = this.#vocabulary.cuts(word).flatMap(({ at, left, right }): Cut[] => {
      if (left !== null) corpus.meet(left);
      if (right !== null) corpus.meet(right);
      if (!left?.exists || !right?.exists) return [];
      const documentsMax = Math.min(left.documents, right.documents);
      return [{ at, documentsMax, together: () => this.#countTogether(left, right, Number.POSITIVE_INFINITY) }];
    });
    return bestCut(word, cuts, seamOf(joined), (enough) =>
      this.#countTogether(corpus.find(joined![0]!), corpus.find(joined![1]!), enough),
    );
  }

  /** Documents with both side by side; counting stops at `enough`. */
  #countTogether(left: Word, right: Word, enough: number): number {
    const byAttribute = this.#byAttribute;
    const corpus = this.#corpus;
    const count = (): number => countTogether(corpus, left, right, byAttribute, enough);
    if (enough < Number.POSITIVE_INFINITY || (byAttribute && corpus.isRestricted)) return count();
    return this.#vocabulary.finding(`pair ${left.text} ${right.text}`, count);
  }
}

/** Where a word can be cut into two that exist. */
export interface Cut {
  /** Units of the left half. */
  at: number;
  /** No more documents than these have both halves. */
  documentsMax: number;
  /** Documents with both side by side. */
  together(): number;
}

/**
 * The cut whose halves stand beside each other in most documents, the first one of equals. Where the query words were
 * joined there is nothing new to find, so that cut is only looked at when it might beat another: `atSeam` counts its documents, up to
 * as many as are enough for that.
 */
export function bestCut(
  word: string,
  cuts: readonly Cut[],
  seam: number,
  atSeam: (enough: number) => number,
): [string, string] | null {
  let best = -1;
  let most = 0;
  for (const { at, documentsMax, together } of cuts) {
    if (at === seam || documentsMax <= most) continue;
    const count = together();
    if (count <= most) continue;
    most = count;
    best = at;
  }
  if (best < 0) return null;
  const enough = seam < best ? most : most + 1;
  if (seam > 0 && atSeam(enough) >= enough) return null;
  return [word.slice(0, best), word.slice(best)];
}

/** Letters before the seam of two joined words, -1 for what is not two words. */
export function seamOf(joined: readonly string[] | null): number {
  return joined?.length === 2 ? joined[0]!.length : -1;
}

/** Two lists in byte order, together in byte order. */
function inOrder(a: readonly Word[], b: readonly Word[]): Word[] {
  return b.length === 0 ? [...a] : [...a, ...b].sort((x, y) => compareText(x.text, y.text));
}
