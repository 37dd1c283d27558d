/**
 * The settings of an index, one entry each: the type of its value, what it is before it is set, and how a value replaces or
 * joins the current one. How an update is checked is in `base/contract/`; what it makes stale in `update.ts`.
 */
import { sortedSet } from "../../base/contract/settings.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import { mergeEmbedders } from "./embedders.ts";
import {
  DEFAULT_FACETING,
  DEFAULT_TYPO_TOLERANCE,
  type Faceting,
  type FilterableRule,
  filterableRule,
  type LocalizedRule,
  localizedRule,
  mergeChat,
  mergeFaceting,
  mergeTypoTolerance,
  numberOr,
  setOf,
  sortedByKey,
  type TypoTolerance,
  wildcardList,
  withoutCompatibilityForms,
} from "./values.ts";

interface Setting<Value> {
  fresh: Value;
  /** Of what the contract let through; null, which resets, never gets here. */
  merge: (value: Exclude<Json, null>, current: Value) => Value;
}

/** Without a way to merge, a value replaces the one before as it is. */
function setting<Value>(
  fresh: Value,
  merge: Setting<Value>["merge"] = (value) => value as unknown as Value,
): Setting<Value> {
  return { fresh, merge };
}

const PAGES = { maxTotalHits: 1000 };

/** In the order of the full object. */
export const SETTINGS = {
  displayedAttributes: setting<string[]>(["*"], wildcardList),
  searchableAttributes: setting<string[]>(["*"], wildcardList),
  filterableAttributes: setting<FilterableRule[]>([], (value) => (value as JsonObject[]).map(filterableRule)),
  sortableAttributes: setting<string[]>([], setOf),
  foreignKeys: setting<{ foreignIndexUid: string; fieldName: string }[]>([]),
  rankingRules: setting<string[]>(["words", "typo", "proximity", "attribute", "sort", "exactness"]),
  stopWords: setting<string[]>([], (value) => sortedSet((value as string[]).map(withoutCompatibilityForms))),
  nonSeparatorTokens: setting<string[]>([], setOf),
  separatorTokens: setting<string[]>([], setOf),
  dictionary: setting<string[]>([], setOf),
  synonyms: setting<Record<string, string[]>>({}, (value) => sortedByKey(value as Record<string, string[]>)),
  distinctAttribute: setting<string | null>(null),
  proximityPrecision: setting<"byWord" | "byAttribute">("byWord"),
  typoTolerance: setting<TypoTolerance>(DEFAULT_TYPO_TOLERANCE, mergeTypoTolerance),
  faceting: setting<Faceting>(DEFAULT_FACETING, mergeFaceting),
  pagination: setting(PAGES, (value, current) => ({
    maxTotalHits: numberOr((value as JsonObject)["maxTotalHits"], PAGES.maxTotalHits, current.maxTotalHits),
  })),
  /** Name to embedder object, with secrets in clear; redacted only when shown. */
  embedders: setting<Record<string, JsonObject>>({}, (value, current) => mergeEmbedders(current, value as JsonObject)),
  searchCutoffMs: setting<number | null>(null),
  localizedAttributes: setting<LocalizedRule[]>([], (value) => (value as JsonObject[]).map(localizedRule)),
  facetSearch: setting<boolean>(true),
  prefixSearch: setting<"indexingTime" | "disabled">("indexingTime"),
  chat: setting<JsonObject>({}, (value, current) => mergeChat(value as JsonObject, current)),
};

/** What clients can set. */
export type SettingName = keyof typeof SETTINGS;

type SettingValues = { [Name in SettingName]: (typeof SETTINGS)[Name]["fresh"] };

export interface Settings extends SettingValues {
  /** Sizes of vectors that embedders do not tell by themselves, as found when they were set up. Never shown. */
  embedderDimensions?: Record<string, number>;
}

/** The same by name and value. */
export const SETTING_ENTRIES: { readonly [Name in SettingName]: Setting<Settings[Name]> } = SETTINGS;
