/**
 * What an update makes of the settings of an index, and what of the index must then be built again.
 * An update is what the contract let through: absent keeps, null resets. Nothing here touches documents.
 */

import { sortedSet, typoSizesMessage } from "../../base/contract/settings.ts";
import { apiError } from "../../base/errors/errors.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";

import { normalizeFacetSearch } from "../../base/text/normalize.ts";
import { embedderRules, mergeEmbedders } from "./embedders.ts";
import { nameTree } from "./name-tree.ts";
import { customRankingRule } from "./patterns.ts";
import type { FilterableRule, LocalizedRule, SettingName, Settings } from "./settings.ts";
import { templateProblem } from "./templates.ts";

export function defaultSettings(): Settings {
  return {
    displayedAttributes: ["*"],
    searchableAttributes: ["*"],
    filterableAttributes: [],
    sortableAttributes: [],
    foreignKeys: [],
    rankingRules: ["words", "typo", "proximity", "attribute", "sort", "exactness"],
    stopWords: [],
    nonSeparatorTokens: [],
    separatorTokens: [],
    dictionary: [],
    synonyms: {},
    distinctAttribute: null,
    proximityPrecision: "byWord",
    typoTolerance: {
      enabled: true,
      minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
      disableOnWords: [],
      disableOnAttributes: [],
      disableOnNumbers: false,
    },
    faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { "*": "alpha" } },
    pagination: { maxTotalHits: 1000 },
    embedders: {},
    searchCutoffMs: null,
    localizedAttributes: [],
    facetSearch: true,
    prefixSearch: "indexingTime",
    chat: {},
  };
}

/** The update that resets everything. */
export function resetAllSettings(): JsonObject {
  return Object.fromEntries(Object.keys(defaultSettings()).map((name) => [name, null]));
}

type Merge<Name extends SettingName> = (value: Exclude<Json, null>, current: Settings[Name]) => Settings[Name];

/** How the value of each setting replaces or joins the current one; null never gets here. */
const MERGES: { [Name in SettingName]: Merge<Name> } = {
  displayedAttributes: wildcardList,
  searchableAttributes: wildcardList,
  filterableAttributes: (value) => (value as JsonObject[]).map(filterableRule),
  sortableAttributes: setOf,
  foreignKeys: (value) => value as Settings["foreignKeys"],
  rankingRules: (value) => value as string[],
  stopWords: (value) => sortedSet((value as string[]).map(withoutCompatibilityForms)),
  nonSeparatorTokens: setOf,
  separatorTokens: setOf,
  dictionary: setOf,
  synonyms: (value) => sortedByKey(value as Record<string, string[]>),
  distinctAttribute: (value) => value as string,
  proximityPrecision: (value) => value as Settings["proximityPrecision"],
  typoTolerance: mergeTypoTolerance,
  faceting: mergeFaceting,
  pagination: (value, current) => ({
    maxTotalHits: numberOr((value as JsonObject)["maxTotalHits"], 1000, current.maxTotalHits),
  }),
  embedders: (value, current) => mergeEmbedders(current, value as JsonObject),
  searchCutoffMs: (value) => value as number,
  localizedAttributes: (value) => (value as JsonObject[]).map(localizedRule),
  facetSearch: (value) => value as boolean,
  prefixSearch: (value) => value as Settings["prefixSearch"],
  chat: (value, current) => mergeChat(value as JsonObject, current),
};

/** Throws `ApiError` when the update does not fit what is stored; the current settings are never changed. */
export function applySettingsUpdate(current: Settings, update: JsonObject): Settings {
  const next: Settings = { ...current };
  const defaults = defaultSettings();
  for (const name of Object.keys(defaults) as SettingName[]) applyOne(next, name, update[name], defaults);
  return next;
}

function applyOne<Name extends SettingName>(
  next: Settings,
  name: Name,
  value: Json | undefined,
  defaults: Settings,
): void {
  if (value === undefined) return;
  next[name] = value === null ? defaults[name] : MERGES[name](value, next[name]);
}

/**
 * What a change of settings makes stale. Words are stale when tokens or the set of searched fields change; columns when
 * the set of faceted fields does; vectors when embedders or what they hold do. Order of fields, features of filters, typos, limits are read at search time.
 */
export function whatMustRebuild(
  before: Settings,
  after: Settings,
): { text: boolean; facets: boolean; vectors: boolean } {
  return {
    text: textBasis(before) !== textBasis(after),
    facets: facetBasis(before) !== facetBasis(after),
    vectors: JSON.stringify(embedderRules(before)) !== JSON.stringify(embedderRules(after)),
  };
}

function textBasis(settings: Settings): string {
  const { stopWords, separatorTokens, nonSeparatorTokens, dictionary, localizedAttributes } = settings;
  const searched = outermost(settings.searchableAttributes);
  return JSON.stringify([stopWords, separatorTokens, nonSeparatorTokens, dictionary, localizedAttributes, searched]);
}

function facetBasis(settings: Settings): string {
  const plain = settings.filterableAttributes.filter((rule) => typeof rule === "string");
  const trees = outermost([...plain, ...settings.sortableAttributes]);
  const patterns = settings.filterableAttributes.flatMap((rule) =>
    typeof rule === "string" ? [] : rule.attributePatterns,
  );
  const single = settings.rankingRules.flatMap((rule) => customRankingRule(rule)?.field ?? []);
  if (settings.distinctAttribute !== null) single.push(settings.distinctAttribute);
  const outside = single.filter((field) => !nameTree(trees).covers(field));
  return JSON.stringify([trees, sortedSet(patterns), sortedSet(outside)]);
}

/** The names that no other name of the list covers, in a fixed order. */
function outermost(names: string[]): string[] {
  const tree = nameTree(names);
  const isBelow = (name: string): boolean => {
    const end = name.lastIndexOf(".");
    return end !== -1 && tree.covers(name.slice(0, end));
  };
  return sortedSet(names.filter((name) => !isBelow(name)));
}

function wildcardList(value: Exclude<Json, null>): string[] {
  const names = value as string[];
  return names.includes("*") ? ["*"] : [...new Set(names)];
}

function setOf(value: Exclude<Json, null>): string[] {
  return sortedSet(value as string[]);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function sortedByKey<Value>(map: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => byBytes(a, b)));
}

/** Stop words meet text after its compatibility forms and control characters are gone, before it is lower-cased. */
function withoutCompatibilityForms(word: string): string {
  return word.normalize("NFKD").replace(/[^\P{Cc}\s]/gu, "");
}

function filterableRule(rule: Json): FilterableRule {
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

function localizedRule(rule: JsonObject): LocalizedRule {
  const { locales, attributePatterns } = rule as { locales?: string[]; attributePatterns?: string[] };
  return { locales: locales ?? [], attributePatterns: attributePatterns ?? [] };
}

function mergeTypoTolerance(value: Exclude<Json, null>, current: Settings["typoTolerance"]): Settings["typoTolerance"] {
  const update = value as JsonObject;
  const fresh = defaultSettings().typoTolerance;
  const sizes = update["minWordSizeForTypos"] as JsonObject | null | undefined;
  const keptSizes = current.minWordSizeForTypos;
  const minWordSizeForTypos =
    sizes === null
      ? fresh.minWordSizeForTypos
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

function mergeFaceting(value: Exclude<Json, null>, current: Settings["faceting"]): Settings["faceting"] {
  const update = value as JsonObject;
  const fresh = defaultSettings().faceting;
  const orders = update["sortFacetValuesBy"] as Record<string, "alpha" | "count" | null> | null | undefined;
  let sortFacetValuesBy = orders === null ? fresh.sortFacetValuesBy : current.sortFacetValuesBy;
  if (orders) {
    const named = Object.entries(orders).filter((entry): entry is [string, "alpha" | "count"] => entry[1] !== null);
    sortFacetValuesBy = sortedByKey(Object.fromEntries([["*", "alpha"], ...named]));
  }
  const maxValuesPerFacet = numberOr(update["maxValuesPerFacet"], fresh.maxValuesPerFacet, current.maxValuesPerFacet);
  return { maxValuesPerFacet, sortFacetValuesBy };
}

function mergeChat(update: JsonObject, current: JsonObject): JsonObject {
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

function numberOr(value: Json | undefined, fresh: number, kept: number): number {
  if (value === undefined) return kept;
  return value === null ? fresh : (value as number);
}

function booleanOr(value: Json | undefined, fresh: boolean, kept = fresh): boolean {
  if (value === undefined) return kept;
  return value === null ? fresh : (value as boolean);
}
