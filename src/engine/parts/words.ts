/**
 * What the words of a query may stand for in an index of several parts: each part tells what its own vocabulary has, and limits are
 * applied once, to all of it in byte order.
 */

import type { IndexView } from "../../storage/index/view.ts";
import { Corpus } from "../query/corpus.ts";
import {
  bestCut,
  COMPLETIONS_MAX,
  type Cut,
  type Lexicon,
  type Spelling,
  seamOf,
  type Tiers,
} from "../query/lexicon.ts";
import { compareText } from "../query/order.ts";
import { countTogether } from "../query/phrases.ts";
import { type NearWord, nearWords, ONE_TYPO_MAX, TWO_TYPOS_MAX, takenOf, typoWords } from "../query/typos.ts";
import { COMMON_WORDS_MIN, type Word } from "../query/vocabulary.ts";
import type { NodeWords } from "../rank/matched-nodes.ts";
import type { KnownNode } from "../rank/query-nodes.ts";

interface FoundCut {
  /** Units of the left half. */
  at: number;
  /** Documents with both side by side. */
  together: number;
}

/** What one part knows of a term. */
export interface FoundWords {
  exists: boolean;
  /** Words that begin with it, as many as make it a common prefix at most. */
  sharing: string[];
  completions: string[];
  near: NearWord<string>[];
  cuts: FoundCut[];
  /** Documents with two joined words side by side. */
  atSeam: number;
}

/** What a term stands for in the whole index. */
export interface TermWords extends NodeWords {
  exists: boolean;
  split: [string, string] | null;
  isCommon: boolean;
}

/**
 * What a part is told of a term. Completions and words with typos that it has itself are those that count in it, but for what the
 * limits leave out.
 */
export interface AgreedWords extends KnownNode {
  split: [string, string] | null;
}

export function agreedWords({ completions, exists, isCommon, one, split, two }: TermWords): AgreedWords {
  const isCut = one.length >= ONE_TYPO_MAX || two.length >= TWO_TYPOS_MAX;
  const lastCompletion = completions.length < COMPLETIONS_MAX ? null : completions.at(-1)!;
  return { exists, isCommon, lastCompletion, typoWords: isCut ? { one, two } : null, split };
}

/** Asked of a part. `searched`: the fields that are looked at; null for all. */
export function findWords(
  view: IndexView,
  searched: ReadonlySet<string> | null,
  byAttribute: boolean,
  terms: readonly Spelling[],
): FoundWords[] {
  const corpus = new Corpus(view, searched);
  return corpus.spaces.during(() => terms.map((term) => foundWords(corpus, byAttribute, term)));
}

function foundWords(corpus: Corpus, byAttribute: boolean, { joined, prefix, typos, word }: Spelling): FoundWords {
  const { vocabulary } = corpus;
  const together = (left: Word, right: Word): number => {
    return countTogether(corpus, left, right, byAttribute, Number.POSITIVE_INFINITY);
  };
  const near = nearWords(vocabulary, word, typos, prefix);
  return {
    exists: corpus.find(word).exists,
    sharing: prefix ? textsOf(vocabulary.sharing(word)) : [],
    completions: prefix ? textsOf(vocabulary.completions(word, COMPLETIONS_MAX)) : [],
    near: near.map(({ distance, sameFirst, word: { text } }) => ({ word: text, distance, sameFirst })),
    cuts: vocabulary.cuts(word).flatMap(({ at, left, right }) => {
      return left?.exists && right?.exists ? [{ at, together: together(left, right) }] : [];
    }),
    atSeam: seamOf(joined) < 0 ? 0 : together(corpus.find(joined![0]!), corpus.find(joined![1]!)),
  };
}

function textsOf(words: Iterable<Word>): string[] {
  return Array.from(words, ({ text }) => text);
}

/** One term, as all parts know it together. */
export function mergedWords({ joined, typos, word }: Spelling, parts: readonly FoundWords[]): TermWords {
  const { one, two } = takenOf(mergedNear(parts), typos);
  const atSeam = parts.reduce((sum, part) => sum + part.atSeam, 0);
  return {
    exists: parts.some(({ exists }) => exists),
    isCommon: new Set(parts.flatMap(({ sharing }) => sharing)).size >= COMMON_WORDS_MIN,
    completions: inByteOrder(parts.flatMap(({ completions }) => completions)).slice(0, COMPLETIONS_MAX),
    one,
    two,
    split: bestCut(word, mergedCuts(parts), seamOf(joined), () => atSeam),
  };
}

function inByteOrder(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compareText);
}

function mergedNear(parts: readonly FoundWords[]): NearWord<string>[] {
  const byText = new Map<string, NearWord<string>>();
  for (const { near } of parts) for (const word of near) byText.set(word.word, word);
  return [...byText.values()].sort((a, b) => compareText(a.word, b.word));
}

function mergedCuts(parts: readonly FoundWords[]): Cut[] {
  const counts = new Map<number, number>();
  for (const { at, together } of parts.flatMap(({ cuts }) => cuts)) counts.set(at, (counts.get(at) ?? 0) + together);
  const cuts = Array.from(counts, ([at, count]) => ({ at, documentsMax: count, together: () => count }));
  return cuts.sort((a, b) => a.at - b.at);
}

/** Tells spellings of one query apart. */
export function spellingKey({ joined, prefix, typos, word }: Spelling): string {
  return `${word} ${prefix ? "p" : "w"}${typos} ${seamOf(joined)}`;
}

/** What all parts know together, for the search of one of them. */
export class SharedLexicon implements Lexicon {
  readonly #corpus: Corpus;
  readonly #known = new Map<string, AgreedWords>();
  readonly #exist = new Set<string>();
  readonly #prefixes = new Map<string, AgreedWords>();
  readonly #looked: (term: Spelling) => void;

  /** `looked` is told of terms when their typos are looked at. */
  constructor(
    corpus: Corpus,
    terms: readonly Spelling[],
    known: readonly AgreedWords[],
    looked: (term: Spelling) => void,
  ) {
    this.#corpus = corpus;
    this.#looked = looked;
    terms.forEach((term, i) => {
      const words = known[i]!;
      this.#known.set(spellingKey(term), words);
      if (words.exists) this.#exist.add(term.word);
      if (term.prefix) this.#prefixes.set(term.word, words);
    });
  }

  has({ text }: Word): boolean {
    return this.#exist.has(text);
  }

  isCommonPrefix(prefix: string): boolean {
    return this.#prefixes.get(prefix)!.isCommon;
  }

  completions(prefix: string): Word[] {
    const { lastCompletion } = this.#prefixes.get(prefix)!;
    const own = this.#corpus.vocabulary.completions(prefix, COMPLETIONS_MAX);
    return lastCompletion === null ? own : own.filter(({ text }) => compareText(text, lastCompletion) <= 0);
  }

  tiers(term: Spelling): Tiers {
    this.#looked(term);
    const { split, typoWords: listed } = this.#known.get(spellingKey(term))!;
    if (listed !== null) return { one: this.#wordsOf(listed.one), two: this.#wordsOf(listed.two), split };
    return { ...typoWords(this.#corpus.vocabulary, term.word, term.typos, term.prefix), split };
  }

  #wordsOf(texts: readonly string[]): Word[] {
    return texts.map((text) => this.#corpus.find(text));
  }
}
