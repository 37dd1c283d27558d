/**
 * What the settings of an index say about reading a query: tokenizer, synonyms, typo limits. Made once per version of
 * the settings and kept; nothing here knows documents.
 */

import { normalizeFacetSearch } from "../../base/text/normalize.ts";
import { createTokenizer, type Tokenizer } from "../../base/text/tokenizer.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { typoLimit } from "../../storage/settings/typo-limit.ts";
import { compareText } from "./order.ts";

/** Words of a phrase; null stands for a stop word. */
export type Phrase = readonly (string | null)[];

const SYNONYMS_MAX = 50;
const SYNONYM_WORDS_MAX = 100;
const KEPT_MAX = 64;
const NONE: readonly string[][] = [];

export class QueryRules {
  readonly tokenizer: Tokenizer;
  readonly prefixSearch: boolean;
  readonly byAttribute: boolean;
  readonly #settings: Settings;
  readonly #untouched: Set<string>;
  /** As they are written in the settings, by the words they stand for. */
  readonly #written = new Map<string, (readonly string[])[]>();
  /** Read when they are asked for first: there may be many more of them than queries that have any. */
  readonly #synonyms = new Map<string, string[][]>();

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
    for (const [key, values] of Object.entries(settings.synonyms)) {
      const from = this.#wordsOf(key);
      if (from.length === 0) continue;
      const name = synonymKey(from);
      const lists = this.#written.get(name);
      if (lists === undefined) this.#written.set(name, [values]);
      else lists.push(values);
    }
  }

  /** Each once, in order. */
  #synonymsOf(name: string): readonly string[][] {
    const lists = this.#written.get(name);
    if (lists === undefined) return NONE;
    let found = this.#synonyms.get(name);
    if (found === undefined) {
      const each = new Map<string, string[]>();
      for (const value of lists.flat()) {
        const to = this.#wordsOf(value);
        if (to.length > 0) each.set(synonymKey(to), to);
      }
      found = [...each.values()].sort(comparePhrases);
      this.#synonyms.set(name, found);
    }
    return found;
  }

  #wordsOf(text: string): string[] {
    return this.tokenizer
      .tokenize(text)
      .filter(({ kind, lemma }) => kind === "word" && lemma !== "")
      .map(({ lemma }) => lemma);
  }

  get hasSynonyms(): boolean {
    return this.#written.size > 0;
  }

  /** Typos a word may have, by its length in characters. */
  typosOf(word: string): number {
    return this.#untouched.has(word) ? 0 : typoLimit(this.#settings.typoTolerance, countCharacters(word));
  }

  /** Synonyms of one word, within the limits for one term. */
  synonymsOfWord(word: string): string[][] {
    const taken: string[][] = [];
    if (!this.hasSynonyms) return taken;
    let words = 0;
    for (const synonym of this.#synonymsOf(word).slice(0, SYNONYMS_MAX)) {
      if (words + synonym.length > SYNONYM_WORDS_MAX) continue;
      words += synonym.length;
      taken.push(synonym);
    }
    return taken;
  }

  /** Synonyms of several words in a row. */
  synonymsOfWords(words: readonly string[]): readonly string[][] {
    return this.#synonymsOf(synonymKey(words));
  }
}

function synonymKey(words: readonly string[]): string {
  return words.join("\u0000");
}

function comparePhrases(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareText(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

const kept = new Map<string, QueryRules>();
/** Mostly the same index is asked again. */
let latest: { id: IndexView["id"]; settingsVersion: number; rules: QueryRules } | null = null;

export function queryRules(view: IndexView): QueryRules {
  const { id, settingsVersion } = view;
  if (latest?.id !== id || latest.settingsVersion !== settingsVersion) {
    latest = { id, settingsVersion, rules: keptRules(view) };
  }
  return latest.rules;
}

function keptRules(view: IndexView): QueryRules {
  const key = `${view.id}/${view.settingsVersion}`;
  let rules = kept.get(key);
  if (rules === undefined) {
    rules = new QueryRules(view.settings);
    if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value as string);
  } else {
    kept.delete(key);
  }
  kept.set(key, rules);
  return rules;
}
