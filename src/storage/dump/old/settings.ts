/** Settings of old dumps in the words of now: what has another name, was written another way, or is gone. */
import { isObject, type Json, type JsonObject } from "../../../base/json/value.ts";

import type { Warn } from "../source.ts";
import { textOf } from "./plain-values.ts";

const RULES: ReadonlySet<string> = new Set(["words", "typo", "proximity", "attribute", "sort", "exactness"]);

/** V1: one list of attributes to filter by, which today's lists to filter and to sort by both come from. */
export function settingsOfV1(given: JsonObject, warn: Warn): JsonObject {
  const { attributesForFaceting, ...same } = given;
  if (attributesForFaceting !== undefined) {
    same["filterableAttributes"] = attributesForFaceting;
    same["sortableAttributes"] = attributesForFaceting;
  }
  return currentSettings(same, warn);
}

/** A change of settings as the queue of V1 holds it: `{Update: value}`, `"Clear"` or `"Nothing"` for each. */
export function settingsChangeOfV1(given: Json | undefined, warn: Warn): JsonObject {
  const settings: JsonObject = {};
  for (const [name, change] of Object.entries(isObject(given) ? given : {})) {
    if (name === "primary_key" || change === "Nothing") continue;
    const setting = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    settings[setting] = isObject(change) ? (change["Update"] ?? null) : null;
  }
  const { rankingRules } = settings;
  if (Array.isArray(rankingRules)) settings["rankingRules"] = rankingRules.map(ruleText);
  return settingsOfV1(settings, warn);
}

/** `"Typo"` is `typo`, `{"Asc": "year"}` is `year:asc`. */
function ruleText(rule: Json): Json {
  if (typeof rule === "string") return rule.charAt(0).toLowerCase() + rule.slice(1);
  const [order, field] = Object.entries(isObject(rule) ? rule : {})[0] ?? [];
  return `${textOf(field)}:${textOf(order).toLowerCase()}`;
}

/** V2 to V5, which the names of today fit: rules in both their forms, without those that are gone. */
export function currentSettings(given: JsonObject, warn: Warn): JsonObject {
  const settings = { ...given };
  const { rankingRules, pagination } = settings;
  if (Array.isArray(rankingRules)) {
    settings["rankingRules"] = rankingRules.flatMap((rule) => currentRule(textOf(rule), warn));
  }
  // None at all was allowed then.
  if (isObject(pagination) && pagination["maxTotalHits"] === 0) settings["pagination"] = { maxTotalHits: 1 };
  return settings;
}

function currentRule(rule: string, warn: Warn): string[] {
  if (RULES.has(rule) || /.:(asc|desc)$/s.test(rule)) return [rule];
  const [, order, field] = /^(asc|desc)\((.+)\)$/s.exec(rule) ?? [];
  if (order !== undefined && field !== undefined) return [`${field}:${order}`];
  warn(`the ranking rule \`${rule}\` of the dump is no more and was left out`);
  return [];
}
