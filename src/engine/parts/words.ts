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

/** Words spelled alike, by typos and whether they begin with the same letter. */
interface FoundNear {
  one: string[];
  two: string[];
  /** One typo, and another first letter. */
  otherFirst: string[];
}

/** What one part knows of a term. */
export interface FoundWords {
  exists: boolean;
  /** So many words begin with it, here alone, that they are searched as one: there is nothing else to say of them. */
  isCommon: boolean;
  /** Words that begin with it, where it may be common together with those of others. */
  sharing: string[];
  /** None where nobody wants to know them. */
  completions: string[];
  completionCount: number;
  near: FoundNear;
  cuts: FoundCut[];
  /** Documents with two joined words side by side; null where that was not counted. */
  atSeam: number | null;
}

/** What is asked of a part about terms. */
export interface WordsAsked {
  terms: readonly Spelling[];
  /** Whether completions are to be spelled. */
  spells: boolean;
  /** Whether to count joined words side by side, which takes a while: otherwise only where there are other cuts. */
  countsSeams: boolean;
}

/** What a term stands for in the whole index. */
export interface TermWords extends NodeWords {
  exists: boolean;
  split: [string, string] | null;
  isCommon: boolean;
}

/**
 * What a part is told of a term. Completions and words with typos that it has itself are those that count in it, but for what the
 * limits leave out; and where some fields tolerate no typos, a word that a part has in such fields alone counts when others have it
 * elsewhere.
 */
export interface AgreedWords extends KnownNode {
  split: [string, string] | null;
}

export function agreedWords(
  { completions, exists, isCommon, one, split, two }: TermWords,
  toleratesEverywhere: boolean,
): AgreedWords {
  const isCut = one.length >= ONE_TYPO_MAX || two.length >= TWO_TYPOS_MAX;
  const lastCompletion = completions.length < COMPLETIONS_MAX ? null : completions.at(-1)!;
  return { exists, isCommon, lastCompletion, typoWords: isCut || !toleratesEverywhere ? { one, two } : null, split };
}

/** Asked of a part. `searched`: the fields that are looked at; null for all. */
export function findWords(
  view: IndexView,
  searched: ReadonlySet<string> | null,
  byAttribute: boolean,
  { countsSeams, spells, terms }: WordsAsked,
): FoundWords[] {
  const corpus = new Corpus(view, searched);
  const { vocabulary } = corpus;
  // What stands together depends on the fields that are searched, where it is enough to share one.
  const isLasting = !byAttribute || !corpus.isRestricted;
  return corpus.spaces.during(() =>
    terms.map((term) => {
      const find = (): FoundWords => foundWords(corpus, byAttribute, term, countsSeams);
      const key = `part ${spellingKey(term)} ${countsSeams ? "s" : ""}`;
      const found = isLasting ? vocabulary.finding(key, find) : find();
      return spells ? found : { ...found, completions: [] };
    }),
  );
}

function foundWords(
  corpus: Corpus,
  byAttribute: boolean,
  { joined, prefix, typos, word }: Spelling,
  countsSeams: boolean,
): FoundWords {
  const { vocabulary } = corpus;
  const together = (left: Word, right: Word): number => {
    return countTogether(corpus, left, right, byAttribute, Number.POSITIVE_INFINITY);
  };
  const sharing = prefix ? textsOf(vocabulary.sharing(word)) : [];
  const isCommon = sharing.length >= COMMON_WORDS_MIN;
  const completions = prefix && !isCommon ? textsOf(vocabulary.completions(word, COMPLETIONS_MAX)) : [];
  const seam = seamOf(joined);
  const cuts = vocabulary.cuts(word).flatMap(({ at, left, right }) => {
    return at !== seam && left?.exists && right?.exists ? [{ at, together: together(left, right) }] : [];
  });
  const seamCounts = seam >= 0 && (countsSeams || cuts.some((cut) => cut.together > 0));
  return {
    exists: corpus.find(word).exists,
    isCommon,
    sharing: isCommon ? [] : sharing,
    completions,
    completionCount: completions.length,
    near: byKind(nearWords(vocabulary, word, typos, prefix)),
    cuts: cuts.filter((cut) => cut.together > 0),
    atSeam: seamCounts ? together(corpus.find(joined![0]!), corpus.find(joined![1]!)) : null,
  };
}

function byKind(near: readonly NearWord[]): FoundNear {
  const found: FoundNear = { one: [], two: [], otherFirst: [] };
  for (const { distance, sameFirst, word } of near) {
    found[sameFirst ? (distance === 1 ? "one" : "two") : "otherFirst"].push(word.text);
  }
  return found;
}

function textsOf(words: Iterable<Word>): string[] {
  return Array.from(words, ({ text }) => text);
}

/** One term, as all parts know it together. */
export function mergedWords({ joined, typos, word }: Spelling, parts: readonly FoundWords[]): TermWords {
  const { one, two } = takenOf(mergedNear(parts), typos);
  const atSeam = parts.reduce((sum, part) => sum + (part.atSeam ?? 0), 0);
  return {
    exists: parts.some(({ exists }) => exists),
    isCommon: isCommonIn(parts),
    completions: inByteOrder(parts.flatMap(({ completions }) => completions)).slice(0, COMPLETIONS_MAX),
    one,
    two,
    split: bestCut(word, mergedCuts(parts), seamOf(joined), () => atSeam),
  };
}

function isCommonIn(parts: readonly FoundWords[]): boolean {
  if (parts.some(({ isCommon }) => isCommon)) return true;
  return new Set(parts.flatMap(({ sharing }) => sharing)).size >= COMMON_WORDS_MIN;
}

/** Whether parts did not tell all that matters, since they seldom have to: they are asked again then. */
export function isMoreToTell(
  { joined }: Spelling,
  parts: readonly FoundWords[],
  { countsSeams, spells }: WordsAsked,
): boolean {
  const hasCuts = parts.some(({ cuts }) => cuts.length > 0);
  if (!countsSeams && seamOf(joined) >= 0 && hasCuts && parts.some(({ atSeam }) => atSeam === null)) return true;
  if (spells || isCommonIn(parts)) return false;
  return parts.reduce((sum, { completionCount }) => sum + completionCount, 0) >= COMPLETIONS_MAX;
}

function inByteOrder(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compareText);
}

function mergedNear(parts: readonly FoundWords[]): NearWord<string>[] {
  const byText = new Map<string, NearWord<string>>();
  for (const { near } of parts) {
    for (const word of near.one) byText.set(word, { word, distance: 1, sameFirst: true });
    for (const word of near.two) byText.set(word, { word, distance: 2, sameFirst: true });
    for (const word of near.otherFirst) byText.set(word, { word, distance: 1, sameFirst: false });
  }
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
