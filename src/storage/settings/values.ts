/**
 * Values of settings that have parts: their shapes, what they are at first, and how an update joins what is there. Absent
 * keeps, null resets a part. An update is what the contract let through; the current value is never changed.
 */
import { sortedSet, typoSizesMessage } from "../../base/contract/settings.ts";
import { apiError } from "../../base/errors/errors.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { normalizeFacetSearch } from "../../base/text/normalize.ts";
import { templateProblem } from "./templates.ts";

export interface FilterFeatures {
  facetSearch: boolean;
  filter: { equality: boolean; comparison: boolean };
}

/** A plain name covers the field and all below it with every feature; an object holds patterns and its own features. */
export type FilterableRule = string | { attributePatterns: string[]; features: FilterFeatures };

export interface LocalizedRule {
  locales: string[];
  attributePatterns: string[];
}

export interface TypoTolerance {
  enabled: boolean;
  minWordSizeForTypos: { oneTypo: number; twoTypos: number };
  disableOnWords: string[];
  disableOnAttributes: string[];
  disableOnNumbers: boolean;
}

export interface Faceting {
  maxValuesPerFacet: number;
  sortFacetValuesBy: Record<string, "alpha" | "count">;
}

export const DEFAULT_TYPO_TOLERANCE: TypoTolerance = {
  enabled: true,
  minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
  disableOnWords: [],
  disableOnAttributes: [],
  disableOnNumbers: false,
};

export const DEFAULT_FACETING: Faceting = { maxValuesPerFacet: 100, sortFacetValuesBy: { "*": "alpha" } };

/** Names in their order, of which `*` stands for all. */
export function wildcardList(value: Exclude<Json, null>): string[] {
  const names = value as string[];
  return names.includes("*") ? ["*"] : [...new Set(names)];
}

/** Names of which neither order nor repetition means anything. */
export function setOf(value: Exclude<Json, null>): string[] {
  return sortedSet(value as string[]);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function sortedByKey<Value>(map: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => byBytes(a, b)));
}

/** Stop words meet text after its compatibility forms and control characters are gone, before it is lower-cased. */
export function withoutCompatibilityForms(word: string): string {
  return word.normalize("NFKD").replace(/[^\P{Cc}\s]/gu, "");
}

export function filterableRule(rule: Json): FilterableRule {
  if (typeof rule === "string") return rule;
  const { attributePatterns, features } = rule as { attributePatterns?: string[]; features?: JsonObject };
  const filter = (features?.["filter"] ?? {}) as JsonObject;
  return {
    attributePatterns: attributePatterns ?? [],
    features: {
      facetSearch: booleanOr(features?.["facetSearch"], false),
      filter: { equality: booleanOr(filter["equality"], true), comparison: booleanOr(filter["comparison"], false) },
    },
  };
}

export function localizedRule(rule: JsonObject): LocalizedRule {
  const { locales, attributePatterns } = rule as { locales?: string[]; attributePatterns?: string[] };
  return { locales: locales ?? [], attributePatterns: attributePatterns ?? [] };
}

export function mergeTypoTolerance(value: Exclude<Json, null>, current: TypoTolerance): TypoTolerance {
  const update = value as JsonObject;
  const fresh = DEFAULT_TYPO_TOLERANCE;
  const sizes = update["minWordSizeForTypos"] as JsonObject | null | undefined;
  const keptSizes = current.minWordSizeForTypos;
  const minWordSizeForTypos =
    sizes === null
      ? { ...fresh.minWordSizeForTypos }
      : {
          oneTypo: numberOr(sizes?.["oneTypo"], fresh.minWordSizeForTypos.oneTypo, keptSizes.oneTypo),
          twoTypos: numberOr(sizes?.["twoTypos"], fresh.minWordSizeForTypos.twoTypos, keptSizes.twoTypos),
        };
  if (minWordSizeForTypos.oneTypo > minWordSizeForTypos.twoTypos) {
    const { oneTypo, twoTypos } = minWordSizeForTypos;
    throw apiError("invalid_settings_typo_tolerance", typoSizesMessage(oneTypo, twoTypos));
  }
  return {
    enabled: booleanOr(update["enabled"], fresh.enabled, current.enabled),
    minWordSizeForTypos,
    disableOnWords: setOr(normalized(update["disableOnWords"]), current.disableOnWords),
    disableOnAttributes: setOr(update["disableOnAttributes"], current.disableOnAttributes),
    disableOnNumbers: booleanOr(update["disableOnNumbers"], fresh.disableOnNumbers, current.disableOnNumbers),
  };
}

export function mergeFaceting(value: Exclude<Json, null>, current: Faceting): Faceting {
  const update = value as JsonObject;
  const fresh = DEFAULT_FACETING;
  const orders = update["sortFacetValuesBy"] as Record<string, "alpha" | "count" | null> | null | undefined;
  let sortFacetValuesBy = orders === null ? { ...fresh.sortFacetValuesBy } : current.sortFacetValuesBy;
  if (orders) {
    const named = Object.entries(orders).filter((entry): entry is [string, "alpha" | "count"] => entry[1] !== null);
    sortFacetValuesBy = sortedByKey(Object.fromEntries([["*", "alpha"], ...named]));
  }
  const maxValuesPerFacet = numberOr(update["maxValuesPerFacet"], fresh.maxValuesPerFacet, current.maxValuesPerFacet);
  return { maxValuesPerFacet, sortFacetValuesBy };
}

export function mergeChat(update: JsonObject, current: JsonObject): JsonObject {
  const merged = overlay(current, update);
  const parameters = update["searchParameters"];
  if (parameters !== undefined && parameters !== null) {
    merged["searchParameters"] = overlay((current["searchParameters"] ?? {}) as JsonObject, parameters as JsonObject);
  }
  const template = merged["documentTemplate"];
  const problem = typeof template === "string" ? templateProblem(template) : null;
  if (problem !== null) {
    throw apiError("invalid_chat_setting_document_template", `\`.chat.documentTemplate\`: ${problem}`);
  }
  return merged;
}

function overlay(current: JsonObject, update: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...current, ...update }).filter(([, value]) => value !== null));
}

/** Words are compared with those of queries, which are normalized. */
function normalized(words: Json | undefined): Json | undefined {
  return Array.isArray(words) ? (words as string[]).map((word) => normalizeFacetSearch(word)) : words;
}

/** Absent keeps, null empties. */
function setOr(value: Json | undefined, kept: string[]): string[] {
  if (value === undefined) return kept;
  return value === null ? [] : setOf(value);
}

export function numberOr(value: Json | undefined, fresh: number, kept: number): number {
  if (value === undefined) return kept;
  return value === null ? fresh : (value as number);
}

function booleanOr(value: Json | undefined, fresh: boolean, kept = fresh): boolean {
  if (value === undefined) return kept;
  return value === null ? fresh : (value as boolean);
}
