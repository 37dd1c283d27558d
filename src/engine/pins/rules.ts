/**
 * Which documents the dynamic search rules pin for a search. Rules are read once into a form that is quick to check;
 * whether a pinned document exists and may be shown is found out where the documents are.
 */

import { parseSearchRule, type SearchRuleChange } from "../../base/contract/search-rules.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { createTokenizer, type Tokenizer } from "../../base/text/tokenizer.ts";
import { readInstant } from "../../base/time/dates.ts";
import type { Micros } from "../../base/time/time.ts";
import { parseFilter } from "../filter/parse.ts";
import { compareText } from "../query/order.ts";
import { type Branch, branchesOf, demandOf } from "./branches.ts";
import type { Pin } from "./pin.ts";

/** Words of a query that count; those behind do not. */
const QUERY_WORDS_MAX = 10;
/** Rules that apply to one search. */
const RULES_MAX = 1000;

export interface PinningRule {
  start: Micros | null;
  end: Micros | null;
  /** Null when it does not matter whether there is a query. */
  isEmpty: boolean | null;
  /** All must be in the query. */
  words: readonly string[];
  /** All must be demanded by one way to pass the filter; null when no way would do. */
  demands: readonly string[] | null;
  pins: readonly (Pin & { indexUid: string | null })[];
}

export interface PinnedSearch {
  indexUid: string;
  q: string | null;
  filter: Json;
}

/** Active rules, the most important first. */
export function pinningRules(stored: Iterable<JsonObject>): PinningRule[] {
  const active: { uid: string; precedence: number; rule: PinningRule }[] = [];
  for (const { uid, lastUpdatedAt: _lastUpdatedAt, ...record } of stored) {
    const rule = readRule(record);
    if (rule === null || rule.active !== true) continue;
    active.push({ uid: String(uid), precedence: rule.precedence ?? Number.MAX_VALUE, rule: pinningRule(rule) });
  }
  active.sort((a, b) => a.precedence - b.precedence || compareText(a.uid, b.uid));
  return active.map(({ rule }) => rule);
}

/** Null for what came in by other ways than the interface and would be refused there: it must not stop searches. */
function readRule(record: JsonObject): SearchRuleChange | null {
  try {
    return parseSearchRule(record);
  } catch {
    return null;
  }
}

function pinningRule({ conditions, actions }: SearchRuleChange): PinningRule {
  const { time, query, filter } = conditions ?? {};
  return {
    start: instantOf(time?.start),
    end: instantOf(time?.end),
    isEmpty: query?.isEmpty ?? null,
    words: wordsOf(query?.words ?? ""),
    demands: demandsOf(filter?.values ?? {}),
    pins: (actions ?? []).map(({ selector, action }) => ({
      indexUid: selector.indexUid ?? null,
      id: selector.id,
      position: action.position,
    })),
  };
}

/** The pins of all rules that apply, the most important first, each document once. */
export function pinsFor(rules: readonly PinningRule[], search: PinnedSearch, now: Micros): Pin[] {
  const asked = new AskedFor(search);
  const pins = new Map<string, Pin>();
  let applied = 0;
  for (const rule of rules) {
    if (!applies(rule, asked, now)) continue;
    for (const { indexUid, id, position } of rule.pins) {
      if (indexUid !== null && indexUid !== search.indexUid) continue;
      if (!pins.has(id)) pins.set(id, { id, position });
    }
    if (++applied === RULES_MAX) break;
  }
  return [...pins.values()];
}

function applies({ start, end, isEmpty, words, demands }: PinningRule, asked: AskedFor, now: Micros): boolean {
  if ((start !== null && now < start) || (end !== null && now > end)) return false;
  if (isEmpty !== null && isEmpty !== asked.isEmpty) return false;
  if (!words.every((word) => asked.words.has(word))) return false;
  if (demands === null) return false;
  return demands.length === 0 || asked.branches.some((branch) => demands.every((each) => branch.has(each)));
}

/** What rules look at in a search, found out when the first of them does. */
class AskedFor {
  readonly #search: PinnedSearch;
  #words: ReadonlySet<string> | null = null;
  #branches: readonly Branch[] | null = null;

  constructor(search: PinnedSearch) {
    this.#search = search;
  }

  get isEmpty(): boolean {
    return (this.#search.q ?? "").trim() === "";
  }

  get words(): ReadonlySet<string> {
    this.#words ??= new Set(wordsOf(withoutNegatives(this.#search.q ?? "")).slice(0, QUERY_WORDS_MAX));
    return this.#words;
  }

  get branches(): readonly Branch[] {
    this.#branches ??= branchesOfText(this.#search.filter);
    return this.#branches;
  }
}

/** A filter that cannot be read is refused by whoever runs the search; here it demands nothing. */
function branchesOfText(filter: Json): Branch[] {
  try {
    const parsed = filter === null ? null : parseFilter(filter);
    return parsed === null ? [] : branchesOf(parsed);
  } catch {
    return [];
  }
}

let tokenizer: Tokenizer | null = null;

function wordsOf(text: string): string[] {
  tokenizer ??= createTokenizer();
  return tokenizer.tokenize(text).flatMap(({ kind, lemma }) => (kind === "word" ? [lemma] : []));
}

/** Words and phrases behind a minus are what must not be found. */
function withoutNegatives(q: string): string {
  return q.replace(/(?<=^|\s)-(?:"[^"]*"?|\S+)/g, " ");
}

/** Null for values that no filter can demand. */
function demandsOf(values: JsonObject, prefix = ""): string[] | null {
  const found: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === null || Array.isArray(each)) return null;
      if (typeof each === "object") {
        const nested = demandsOf(each, `${prefix}${name}.`);
        if (nested === null) return null;
        found.push(...nested);
      } else found.push(demandOf(`${prefix}${name}`, String(each)));
    }
  }
  return found;
}

function instantOf(text: string | null | undefined): Micros | null {
  return text == null ? null : readInstant(text);
}
