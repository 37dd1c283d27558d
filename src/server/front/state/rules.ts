/**
 * The stored dynamic search rules, to be listed and shown, and what they pin. They change only through tasks, so this
 * never writes.
 */

import { searchRuleNotFound } from "../../../base/errors/errors.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { limits } from "../../../base/limits.ts";
import { readInstant } from "../../../base/time/dates.ts";
import { nowMicros } from "../../../base/time/time.ts";
import type { Pin } from "../../../engine/pins/pin.ts";
import { type PinnedSearch, type PinningRule, pinningRules, pinsFor } from "../../../engine/pins/rules.ts";
import type { Store } from "../../../storage/store/store.ts";
import { FrontSlices } from "../slices.ts";

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

  /**
   * Last updated first; `query` asks that each of its words begins a word of the uid or of the description. Rules may be many, and long: they are
   * read in slices.
   */
  async list(filter: RuleFilter): Promise<JsonObject[]> {
    const wanted = wordsOf((filter.query ?? "").slice(0, limits.queryUnits));
    const slices = new FrontSlices();
    const rules: [updatedAt: number, rule: JsonObject][] = [];
    for (const uid of [...this.#store.rules.keys()]) {
      if (slices.isOver) await slices.pause();
      const rule = this.#store.rules.get(uid);
      if (rule === undefined || (filter.active !== null && rule["active"] !== filter.active)) continue;
      if (isAbout(rule, wanted)) rules.push([updatedAt(rule), rule]);
    }
    return rules.sort(([a], [b]) => b - a).map(([, rule]) => rule);
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

function isAbout(rule: JsonObject, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const words = wordsOf(`${rule["uid"]} ${rule["description"] ?? ""}`);
  return wanted.every((word) => words.some((candidate) => candidate.startsWith(word)));
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
