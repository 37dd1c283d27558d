/**
 * A term of the query (word, words written as one, or phrase) and everything it may stand for: the word itself, its
 * completions, words with typos, synonyms, the word cut in two. What is costly is found out when first asked for.
 */
import { Buffer } from "node:buffer";
import { limits } from "../../base/limits.ts";
import type { Corpus } from "./corpus.ts";
import type { Deadline } from "./deadline.ts";
import type { Lexicon, Spelling, Tiers } from "./lexicon.ts";
import type { QueryRules } from "./rules.ts";
import type { Phrase } from "./synonyms.ts";
import type { Word } from "./vocabulary.ts";

interface TermInput extends Spelling {
  phrase: Phrase | null;
}

const NO_TIERS: Tiers = { one: [], two: [], split: null };

export class Term implements Spelling {
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
  readonly #lexicon: Lexicon;
  #found: Tiers | null = null;

  constructor(
    corpus: Corpus,
    lexicon: Lexicon,
    rules: QueryRules,
    clock: Deadline,
    { word, phrase, prefix, typos, joined }: TermInput,
  ) {
    this.#lexicon = lexicon;
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
    if (lexicon.has(own)) this.exact = own;
    if (prefix) {
      if (lexicon.isCommonPrefix(word)) this.commonPrefix = word;
      else this.completions = lexicon.completions(word);
      for (const completion of this.completions) corpus.meet(completion);
    }
    this.synonyms = joined === null ? rules.synonymsOfWord(word, clock) : rules.synonymsOfJoined(word, joined, clock);
  }

  /** Null until somebody needed them: formatting only shows what the search used. */
  get computedTiers(): Tiers | null {
    return this.#found;
  }

  get tiers(): Tiers {
    this.#found ??= this.phrase === null ? this.#lexicon.tiers(this) : NO_TIERS;
    return this.#found;
  }
}
