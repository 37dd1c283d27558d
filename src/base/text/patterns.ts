/**
 * The fixed strings a text is cut at: separators and dictionary words, found leftmost-longest. Immutable once built.
 */

import { NO_LANGUAGE } from "./languages.ts";
import { strictForm } from "./normalizers.ts";
import { PatternGroup } from "./pattern-group.ts";
import { defaultSeparators, hardSeparators } from "./separators.ts";
import { StopWords } from "./stop-words.ts";
import type { TokenizerOptions, TokenKind } from "./token.ts";

/** What a UTF-16 unit may begin. */
export const WORD_UNIT = 0;
/** A separator of one unit that begins nothing longer. */
export const SOFT_UNIT = 1;
export const HARD_UNIT = 2;
/** Dot and comma: hard together with a following space, else soft. */
export const BEFORE_SPACE_UNIT = 3;
/** Anything else: ask `match`. */
export const COMPLEX_UNIT = 4;

const SPACE = 0x20;

export class Patterns {
  /** One of the constants above for every UTF-16 unit. */
  readonly classes: Uint8Array;
  readonly stopWords: StopWords;
  readonly #separators: ReadonlySet<string>;
  readonly #byFirstUnit: ReadonlyMap<number, PatternGroup>;
  /** In which stop words meet the separators. */
  #forms: readonly string[] | null = null;

  /**
   * `plain`: those of no options. What takes room is theirs wherever stop words alone are set, as for most indexes, and most of it
   * wherever anything else is.
   */
  constructor(options: TokenizerOptions, plain: Patterns | null = plainPatterns()) {
    this.stopWords = new StopWords(options.stopWords ?? []);
    const { separators = [], nonSeparators = [], dictionary = [] } = options;
    const own = [...separators, ...nonSeparators, ...dictionary];
    if (plain !== null && own.length === 0 && !plain.#areStopped(this.stopWords)) {
      this.#separators = plain.#separators;
      this.#byFirstUnit = plain.#byFirstUnit;
      this.classes = plain.classes;
      return;
    }
    const all = new Set([...defaultSeparators(), ...separators]);
    for (const word of nonSeparators) all.delete(word);
    all.delete("");
    const words = new Set(dictionary);
    words.delete("");
    this.#separators = all;
    const changed = new Set(own.map((word) => word.charCodeAt(0)));
    this.#byFirstUnit = groupByFirstUnit(new Set([...all, ...words]), (unit) =>
      plain === null || changed.has(unit) ? undefined : plain.#byFirstUnit.get(unit),
    );
    this.classes = this.#buildClasses(words);
  }

  /** End of the longest pattern that begins at `at` and fits before `end`; -1 if there is none. */
  match(text: string, at: number, end: number): number {
    return this.#byFirstUnit.get(text.charCodeAt(at))?.longestEnd(text, at, end) ?? -1;
  }

  /** Whether a pattern of several units begins with one of these units. */
  beginsLonger(isMeant: (unit: number) => boolean): boolean {
    return [...this.#byFirstUnit].some(([unit, candidates]) => isMeant(unit) && candidates.hasLonger);
  }

  /** Kind of a token, decided on its strict form. */
  classify(strict: string): TokenKind {
    if (this.stopWords.has(strict)) return "stop";
    if (!this.#separators.has(strict)) return "word";
    return hardSeparators().has(strict) ? "hard" : "soft";
  }

  /** Whether one of these stop words is a separator as well: then the separator is of another class. */
  #areStopped(stopWords: StopWords): boolean {
    this.#forms ??= [...this.#byFirstUnit.keys()].flatMap((code) => {
      const unit = String.fromCharCode(code);
      return [strictForm(unit, NO_LANGUAGE), `${unit} `];
    });
    return this.#forms.some((form) => stopWords.has(form));
  }

  #buildClasses(dictionary: ReadonlySet<string>): Uint8Array {
    const classes = new Uint8Array(0x10000);
    for (const [unit, candidates] of this.#byFirstUnit) {
      classes[unit] = this.#classOf(String.fromCharCode(unit), candidates, dictionary);
    }
    return classes;
  }

  #classOf(unit: string, candidates: PatternGroup, dictionary: ReadonlySet<string>): number {
    const kind = this.classify(strictForm(unit, NO_LANGUAGE));
    if (!candidates.has(unit) || dictionary.has(unit) || (kind !== "soft" && kind !== "hard")) return COMPLEX_UNIT;
    if (candidates.size === 1) return kind === "hard" ? HARD_UNIT : SOFT_UNIT;
    const beforeSpace = candidates.size === 2 && candidates.has(`${unit} `) && kind === "soft";
    return beforeSpace && this.classify(`${unit} `) === "hard" ? BEFORE_SPACE_UNIT : COMPLEX_UNIT;
  }
}

let plainOnes: Patterns | null = null;

function plainPatterns(): Patterns {
  plainOnes ??= new Patterns({}, null);
  return plainOnes;
}

/** Those used last: most indexes have the same, and to build them takes longer than to search a small index. */
const kept = new Map<string, Patterns>();
const KEPT_MAX = 16;

export function patternsOf(options: TokenizerOptions): Patterns {
  const { stopWords = [], separators = [], nonSeparators = [], dictionary = [] } = options;
  const listed = {
    stopWords: [...stopWords],
    separators: [...separators],
    nonSeparators: [...nonSeparators],
    dictionary: [...dictionary],
  };
  const key = JSON.stringify(listed);
  const patterns = kept.get(key) ?? new Patterns(listed);
  kept.delete(key);
  kept.set(key, patterns);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value as string);
  return patterns;
}

/** `ready`: groups that are there already. */
function groupByFirstUnit(
  patterns: Iterable<string>,
  ready: (unit: number) => PatternGroup | undefined,
): Map<number, PatternGroup> {
  const groups = new Map<number, PatternGroup>();
  for (const pattern of patterns) {
    const unit = pattern.charCodeAt(0);
    const shared = ready(unit);
    if (shared !== undefined) {
      groups.set(unit, shared);
      continue;
    }
    let group = groups.get(unit);
    if (group === undefined) {
      group = new PatternGroup();
      groups.set(unit, group);
    }
    group.add(pattern);
  }
  return groups;
}

/** Whether the separator at `at` (a BEFORE_SPACE_UNIT) takes the space after it. */
export function takesSpace(text: string, at: number, end: number): boolean {
  return at + 1 < end && text.charCodeAt(at + 1) === SPACE;
}
