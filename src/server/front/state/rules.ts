/**
 * The stored dynamic search rules, to be listed and shown, and what they pin. They change only through tasks, so this
 * never writes.
 */

import { searchRuleNotFound } from "../../../base/errors/errors.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { readInstant } from "../../../base/time/dates.ts";
import { nowMicros } from "../../../base/time/time.ts";
import type { Pin } from "../../../engine/pins/pin.ts";
import { type PinnedSearch, type PinningRule, pinningRules, pinsFor } from "../../../engine/pins/rules.ts";
import type { Store } from "../../../storage/store/store.ts";

interface RuleFilter {
  query: string | null;
  active: boolean | null;
}

export class SearchRules {
  readonly #store: Pick<Store, "rules">;
  /** Null until they are needed. */
  #pinning: PinningRule[] | null = null;

  constructor(store: Pick<Store, "rules">) {
    this.#store = store;
  }

  get(uid: string): JsonObject {
    const rule = this.#store.rules.get(uid);
    if (rule === undefined) throw searchRuleNotFound(uid);
    return rule;
  }

  /** Last updated first; `query` asks that each of its words begins a word of the uid or of the description. */
  list(filter: RuleFilter, offset: number, limit: number): { results: JsonObject[]; total: number } {
    const wanted = wordsOf(filter.query ?? "");
    const rules: JsonObject[] = [];
    for (const [, rule] of this.#store.rules.entries()) {
      if (filter.active !== null && rule["active"] !== filter.active) continue;
      const words = wordsOf(`${rule["uid"]} ${rule["description"] ?? ""}`);
      if (wanted.every((word) => words.some((candidate) => candidate.startsWith(word)))) rules.push(rule);
    }
    rules.sort((a, b) => updatedAt(b) - updatedAt(a));
    return { results: rules.slice(offset, offset + limit), total: rules.length };
  }

  /** What the rules pin for a search, the most important first. */
  pins(search: PinnedSearch): Pin[] {
    return pinsFor(this.pinning(), search, nowMicros());
  }

  /** Those that are in force, the most important first. */
  pinning(): readonly PinningRule[] {
    this.#pinning ??= pinningRules(this.#stored());
    return this.#pinning;
  }

  /** Rules may have changed: they are read again when the next search comes. */
  forget(): void {
    this.#pinning = null;
  }

  *#stored(): Generator<JsonObject> {
    for (const [, rule] of this.#store.rules.entries()) yield rule;
  }
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Stored as text; as text the moments would not sort, since fractions lose their trailing zeros. */
function updatedAt(rule: JsonObject): number {
  return readInstant(String(rule["lastUpdatedAt"])) ?? 0;
}
