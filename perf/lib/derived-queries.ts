/**
 * Queries of every class made from the words of a corpus itself, as many as wanted, the same ones every time. A server keeps what
 * it found out about words, so a figure over few queries that come again and again says little about new ones.
 */
import { type Corpus, spreadDocuments } from "./corpus.ts";
import type { WordQueries } from "./queries.ts";

const SAMPLED_DOCUMENTS = 10_000;
/** What is rarer is neither a common word nor what people begin to type. */
const COMMON_WORDS_MAX = 60;
const LETTERS_MAX = 24;
const LONG_WORD_CHARACTERS = 6;
const LONG_WORDS_MAX = 5000;
const LONG_QUERY_WORDS = 12;
/** Words of no collection. */
export const NOWHERE = ["xqzzvk", "wwpplkj"];

export function derivedQueries(corpus: Corpus, perClass: number): WordQueries {
  const texts = spreadDocuments(corpus, SAMPLED_DOCUMENTS).map((document) => wordsIn(document, corpus.searchable));
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
  const longWords = byCount.filter((word) => word.length >= LONG_WORD_CHARACTERS).slice(0, LONG_WORDS_MAX);
  const rich = texts.filter((words) => words.length >= LONG_QUERY_WORDS);
  const letters = [...new Set(byCount.map((word) => firstLetters(word, 1)))];
  const pick = (from: Iterable<string>) => spread([...new Set(from)], perClass);
  return {
    "common word": byCount.slice(0, Math.min(perClass, COMMON_WORDS_MAX)),
    "one letter": letters.slice(0, Math.min(perClass, LETTERS_MAX)),
    prefix: pick(longWords.map((word) => firstLetters(word, 3))),
    "one word": pick(longWords),
    "two words": pick(rich.map((words) => words.slice(1, 3).join(" "))),
    typo: pick(longWords.map((word) => `${word.slice(0, 3)}${word.slice(4)}`)),
    phrase: pick(rich.map((words) => `"${words.slice(3, 5).join(" ")}"`)),
    long: pick(rich.map((words) => words.slice(0, LONG_QUERY_WORDS).join(" "))),
    "nothing found": NOWHERE,
  };
}

function wordsIn(document: Record<string, unknown>, fields: readonly string[]): string[] {
  const texts = fields.map((field) => document[field]).filter((value) => typeof value === "string");
  const words = texts
    .join(" ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== "");
}

/** Whole characters: half of one is no query. */
function firstLetters(word: string, count: number): string {
  return [...word].slice(0, count).join("");
}

/** At equal distances, from the first on. */
function spread(items: string[], count: number): string[] {
  const step = Math.max(1, items.length / count);
  const kept: string[] = [];
  for (let i = 0; i < items.length && kept.length < count; i++) if (i >= kept.length * step) kept.push(items[i]!);
  return kept;
}
