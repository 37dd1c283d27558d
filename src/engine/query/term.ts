/**
 * A term of the query (word, words written as one, or phrase) and everything it may stand for: the word itself, its
 * completions, words with typos, synonyms, the word cut in two. What is costly is found out when first asked for.
 */
import { Buffer } from "node:buffer";
import { limits } from "../../base/limits.ts";
import type { Corpus } from "./corpus.ts";
import type { Deadline } from "./deadline.ts";
import { compareText } from "./order.ts";
import { countTogether } from "./phrases.ts";
import type { QueryRules } from "./rules.ts";
import type { Phrase } from "./synonyms.ts";
import { type TypoWords, typoWords } from "./typos.ts";
import type { Word } from "./vocabulary.ts";

const COMPLETIONS_MAX = 1000;

interface TermInput {
  word: string;
  phrase: Phrase | null;
  prefix: boolean;
  typos: number;
  /** The words that were joined, for a term made of several. */
  joined: readonly string[] | null;
}

/** Words with typos, and the two words it may have been. */
interface Tiers extends TypoWords {
  split: Phrase | null;
}

const NO_TIERS: Tiers = { one: [], two: [], split: null };

export class Term {
  readonly word: string;
  readonly phrase: Phrase | null;
  readonly joined: readonly string[] | null;
  readonly prefix: boolean;
  /** Typos allowed. */
  readonly typos: number;
  /** The word itself when it is in the index. */
  readonly exact: Word | null = null;
  readonly completions: readonly Word[] = [];
  /** Set when so many words begin with the term that they are searched as one. */
  readonly commonPrefix: string | null = null;
  readonly synonyms: readonly Phrase[] = [];
  readonly #corpus: Corpus;
  readonly #byAttribute: boolean;
  #found: Tiers | null = null;

  constructor(corpus: Corpus, rules: QueryRules, clock: Deadline, { word, phrase, prefix, typos, joined }: TermInput) {
    this.#corpus = corpus;
    this.#byAttribute = rules.byAttribute;
    this.word = word;
    this.phrase = phrase;
    this.joined = joined;
    this.prefix = prefix;
    this.typos = typos;
    if (phrase !== null) {
      for (const text of phrase) if (text !== null) corpus.meet(corpus.find(text));
      return;
    }
    const own = corpus.meet(corpus.find(word));
    if (Buffer.byteLength(word) > limits.wordBytes) {
      this.prefix = false;
      this.typos = 0;
      this.#found = NO_TIERS;
      return;
    }
    if (own.exists) this.exact = own;
    if (prefix) {
      const { vocabulary } = corpus;
      const isCommon = vocabulary.finding(`common ${word}`, () => vocabulary.isCommonPrefix(word));
      if (isCommon) this.commonPrefix = word;
      else this.completions = vocabulary.finding(`begin ${word}`, () => vocabulary.completions(word, COMPLETIONS_MAX));
      for (const completion of this.completions) corpus.meet(completion);
    }
    this.synonyms = joined === null ? rules.synonymsOfWord(word, clock) : rules.synonymsOfJoined(word, joined, clock);
  }

  /** Null until somebody needed them: formatting only shows what the search used. */
  get computedTiers(): Tiers | null {
    return this.#found;
  }

  get tiers(): Tiers {
    this.#found ??= this.phrase === null ? this.#findTiers() : NO_TIERS;
    return this.#found;
  }

  #findTiers(): Tiers {
    const { prefix, typos, word } = this;
    const corpus = this.#corpus;
    const { vocabulary } = corpus;
    const find = (): TypoWords => typoWords(vocabulary, word, typos, prefix);
    const { one, two } = vocabulary.finding(`${typos}${prefix ? "p" : "w"} ${word}`, find);
    for (const found of inOrder(one, two)) corpus.meet(found);
    return { one, two, split: this.#findSplit() };
  }

  /**
   * The cut whose halves stand beside each other in most documents, the first one of equals. Where the query words were
   * joined there is nothing new to find, so that cut is only looked at when it might beat another.
   */
  #findSplit(): Phrase | null {
    const { joined, word } = this;
    const corpus = this.#corpus;
    const seam = joined?.length === 2 ? joined[0]!.length : -1;
    let best = -1;
    let most = 0;
    for (const { at, left, right } of corpus.vocabulary.cuts(word)) {
      if (left !== null) corpus.meet(left);
      if (right !== null) corpus.meet(right);
      if (at === seam || !left?.exists || !right?.exists) continue;
      if (Math.min(left.documents, right.documents) <= most) continue;
      const count = this.#countTogether(left, right, Number.POSITIVE_INFINITY);
      if (count <= most) continue;
      most = count;
      best = at;
    }
    if (best < 0) return null;
    if (seam > 0) {
      const enough = seam < best ? most : most + 1;
      if (this.#countTogether(corpus.find(joined![0]!), corpus.find(joined![1]!), enough) >= enough) return null;
    }
    return [word.slice(0, best), word.slice(best)];
  }

  /** Documents with both side by side; counting stops at `enough`. */
  #countTogether(left: Word, right: Word, enough: number): number {
    const byAttribute = this.#byAttribute;
    const corpus = this.#corpus;
    const count = (): number => countTogether(corpus, left, right, byAttribute, enough);
    if (enough < Number.POSITIVE_INFINITY || (byAttribute && corpus.isRestricted)) return count();
    return corpus.vocabulary.finding(`pair ${left.text} ${right.text}`, count);
  }
}

/** Two lists in byte order, together in byte order. */
function inOrder(a: readonly Word[], b: readonly Word[]): Word[] {
  return b.length === 0 ? [...a] : [...a, ...b].sort((x, y) => compareText(x.text, y.text));
}
