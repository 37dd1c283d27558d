/**
 * What the settings of an index say about reading a query: tokenizer, synonyms, typo limits. Made once per version of
 * the settings and kept until there is another; nothing here knows documents.
 */

import { characterCount } from "../../base/text/characters.ts";
import { normalizeFacetSearch } from "../../base/text/normalize.ts";
import { createTokenizer, type Tokenizer } from "../../base/text/tokenizer.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { typoLimit } from "../../storage/settings/typo-limit.ts";
import type { Deadline } from "./deadline.ts";
import { type Phrase, SynonymList, wordsKey } from "./synonyms.ts";

const SYNONYMS_MAX = 50;
const SYNONYM_WORDS_MAX = 100;
/** Indexes whose rules are kept. */
const KEPT_MAX = 64;
const NONE: readonly string[][] = [];

export class QueryRules {
  readonly tokenizer: Tokenizer;
  readonly prefixSearch: boolean;
  readonly byAttribute: boolean;
  readonly #settings: Settings;
  readonly #untouched: Set<string>;
  /** By the words they stand for. */
  readonly #synonyms = new Map<string, SynonymList>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.tokenizer = createTokenizer({
      stopWords: settings.stopWords,
      separators: settings.separatorTokens,
      nonSeparators: settings.nonSeparatorTokens,
      dictionary: settings.dictionary,
    });
    this.prefixSearch = settings.prefixSearch !== "disabled";
    this.byAttribute = settings.proximityPrecision === "byAttribute";
    this.#untouched = new Set(settings.typoTolerance.disableOnWords.map((word) => normalizeFacetSearch(word)));
    const wordsOf = (text: string): string[] => this.#wordsOf(text);
    for (const [key, values] of Object.entries(settings.synonyms)) {
      const from = wordsOf(key);
      if (from.length === 0) continue;
      const name = wordsKey(from);
      const list = this.#synonyms.get(name);
      if (list === undefined) this.#synonyms.set(name, new SynonymList(values, wordsOf));
      else list.add(values);
    }
  }

  #wordsOf(text: string): string[] {
    return this.tokenizer
      .tokenize(text)
      .filter(({ kind, lemma }) => kind === "word" && lemma !== "")
      .map(({ lemma }) => lemma);
  }

  get hasSynonyms(): boolean {
    return this.#synonyms.size > 0;
  }

  /** Typos a word may have, by its length in characters. */
  typosOf(word: string): number {
    return this.#untouched.has(word) ? 0 : typoLimit(this.#settings.typoTolerance, characterCount(word));
  }

  /** Synonyms of one word, within the limits for one term; all of these take what has been read by the deadline. */
  synonymsOfWord(word: string, clock: Deadline): string[][] {
    const taken: string[][] = [];
    if (!this.hasSynonyms) return taken;
    let words = 0;
    for (const synonym of this.synonymsOfWords([word], clock).slice(0, SYNONYMS_MAX)) {
      if (words + synonym.length > SYNONYM_WORDS_MAX) continue;
      words += synonym.length;
      taken.push(synonym);
    }
    return taken;
  }

  /** Synonyms of several words in a row. */
  synonymsOfWords(words: readonly string[], clock: Deadline): readonly string[][] {
    return this.#synonyms.get(wordsKey(words))?.read(clock) ?? NONE;
  }

  /** Of words that are taken as one: those of the joined word, then those of the words in a row, each once. */
  synonymsOfJoined(joined: string, words: readonly string[], clock: Deadline): Phrase[] {
    const found = new Map<string, Phrase>();
    if (!this.hasSynonyms) return [];
    for (const synonym of this.synonymsOfWord(joined, clock)) found.set(wordsKey(synonym), synonym);
    for (const synonym of this.synonymsOfWords(words, clock)) found.set(wordsKey(synonym), synonym);
    return [...found.values()];
  }
}

type RulesView = Pick<IndexView, "id" | "settingsVersion" | "settings">;

interface Kept {
  id: IndexView["id"];
  settingsVersion: number;
  rules: QueryRules;
}

/** Of each index those of one version, least recently used first: what settings list may be long, and earlier versions are over. */
const kept = new Map<IndexView["id"], Kept>();
/** Mostly the same index is asked again. */
let latest: Kept | null = null;

export function queryRules(view: RulesView): QueryRules {
  const { id, settingsVersion } = view;
  if (latest?.id !== id || latest.settingsVersion !== settingsVersion) latest = keptRules(view);
  return latest.rules;
}

function keptRules({ id, settingsVersion, settings }: RulesView): Kept {
  const known = kept.get(id);
  kept.delete(id);
  const isOf = known?.settingsVersion === settingsVersion;
  const own = isOf ? known : { id, settingsVersion, rules: new QueryRules(settings) };
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
  kept.set(id, own);
  return own;
}
