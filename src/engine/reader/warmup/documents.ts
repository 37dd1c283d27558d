/**
 * Documents that nobody wrote, for readers to practise on: pseudo-words as frequent as those of a language, texts long
 * enough to be cropped, numbers, dates, lists. The same seed gives the same documents.
 */
import type { JsonObject } from "../../../base/json/value.ts";

/** Uniform in [0, 1). */
export type Chance = () => number;

/** The generator called mulberry32: small, and random enough for texts. */
export function chanceFrom(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function oneOf<Item>(items: readonly Item[], chance: Chance): Item {
  return items[Math.floor(chance() * items.length)]!;
}

const ONSETS = [
  "b",
  "br",
  "c",
  "ch",
  "d",
  "f",
  "g",
  "gr",
  "h",
  "l",
  "m",
  "n",
  "p",
  "r",
  "s",
  "st",
  "t",
  "th",
  "v",
  "w",
];
const VOWELS = ["a", "a", "e", "e", "e", "i", "o", "u", "ou", "é", "ü"];
const CODAS = ["", "", "", "n", "r", "s", "t", "l", "nd"];
/** What breaks the monotony of words. */
const ENDS = [
  '"so" it is.',
  "they're well-known!",
  "in 1984 – or 2001?",
  "first\\second line.",
  "line\nbreak…",
  "internationalizations.",
  "internationalization!",
  "naïve Café de L’Ångström — №7?",
  "see https://example.org/a_b?c=1 (or A/B)",
  "Москва, Αθήνα & 東京.",
];
const KINDS = [
  "action",
  "adventure",
  "comedy",
  "crime",
  "documentary",
  "drama",
  "family",
  "fantasy",
  "history",
  "music",
];
const LANGUAGES = ["de", "en", "es", "fr", "it", "ja"];
const FIRST_DATE = 500_000_000;
const LAST_DATE = 1_700_000_000;
const FIRST_YEAR = 1950;
const YEARS = 75;

/** Shorter words are not searched for with typos. */
const LONG_LETTERS = 6;

function madeUpWord(syllables: number, chance: Chance): string {
  let word = "";
  for (let i = 0; i < syllables; i++) word += oneOf(ONSETS, chance) + oneOf(VOWELS, chance) + oneOf(CODAS, chance);
  return word;
}

/** Words by rank; the first ones are short, as everywhere. */
export class Language {
  readonly #words: string[];
  readonly #long: string[];

  constructor(words: number, chance: Chance) {
    const known = new Set<string>();
    while (known.size < words) {
      const syllables = 1 + Math.floor(chance() * Math.min(4, 1 + Math.log10(1 + known.size)));
      known.add(madeUpWord(syllables, chance));
    }
    this.#words = [...known];
    this.#long = this.#words.filter((word) => word.length >= LONG_LETTERS);
  }

  /** The word of rank n comes up in proportion to 1/n. */
  word(chance: Chance): string {
    return this.#words[Math.floor(this.#words.length ** chance()) - 1]!;
  }

  longWord(chance: Chance): string {
    return oneOf(this.#long, chance);
  }

  words(count: number, chance: Chance): string {
    return Array.from({ length: count }, () => this.word(chance)).join(" ");
  }

  title(chance: Chance): string {
    return this.words(1 + Math.floor(chance() * 4), chance)
      .split(" ")
      .map(capitalized)
      .join(" ");
  }

  /** Mostly of words that stand nowhere else. */
  name(chance: Chance): string {
    return [2, 2 + chance() * 5].map((syllables) => capitalized(madeUpWord(syllables, chance))).join(" ");
  }

  text(sentences: number, chance: Chance): string {
    return Array.from({ length: sentences }, () => {
      const words = this.words(4 + Math.floor(chance() * 10), chance);
      return `${capitalized(words)}, ${oneOf(ENDS, chance)}`;
    }).join(" ");
  }
}

export function capitalized(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/** What filters may ask for. */
export const facetsOf = {
  kind: (chance: Chance): string => oneOf(KINDS, chance),
  language: (chance: Chance): string => oneOf(LANGUAGES, chance),
  year: (chance: Chance): number => FIRST_YEAR + Math.floor(chance() * YEARS),
  date: (chance: Chance): number => Math.floor(FIRST_DATE + chance() * (LAST_DATE - FIRST_DATE)),
};

export const FIELDS = ["id", "title", "overview", "kinds", "people", "year", "rating", "released", "details"];

/** The embedder of those indexes that have one. */
export const EMBEDDER = "made";
export const DIMENSIONS = 24;

export function madeUpVector(chance: Chance): number[] {
  return Array.from({ length: DIMENSIONS }, () => chance() - 0.5);
}

export function madeUpDocument(id: number, language: Language, chance: Chance): JsonObject {
  return {
    id,
    title: language.title(chance),
    overview: language.text(Math.floor(1 + 6 * chance() ** 2), chance),
    kinds: [...new Set([facetsOf.kind(chance), facetsOf.kind(chance)])],
    people: Array.from({ length: 1 + Math.floor(chance() * 4) }, () => language.name(chance)),
    year: facetsOf.year(chance),
    rating: Math.round(chance() * 100) / 10,
    released: facetsOf.date(chance),
    details: { language: facetsOf.language(chance), color: chance() < 0.8 },
  };
}
