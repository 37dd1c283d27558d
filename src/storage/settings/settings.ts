/**
 * What an index is told: the settings object, complete and validated. Shapes and defaults of one index's
 * configuration; how an update is checked is in `base/contract/`, how it is merged in `settings-update.ts`.
 */
import type { JsonObject } from "../../base/json/value.ts";

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

/** What clients can set. */
export type SettingName = Exclude<keyof Settings, "embedderDimensions">;

export interface Settings {
  displayedAttributes: string[];
  searchableAttributes: string[];
  filterableAttributes: FilterableRule[];
  sortableAttributes: string[];
  foreignKeys: { foreignIndexUid: string; fieldName: string }[];
  rankingRules: string[];
  stopWords: string[];
  nonSeparatorTokens: string[];
  separatorTokens: string[];
  dictionary: string[];
  synonyms: Record<string, string[]>;
  distinctAttribute: string | null;
  proximityPrecision: "byWord" | "byAttribute";
  typoTolerance: {
    enabled: boolean;
    minWordSizeForTypos: { oneTypo: number; twoTypos: number };
    disableOnWords: string[];
    disableOnAttributes: string[];
    disableOnNumbers: boolean;
  };
  faceting: { maxValuesPerFacet: number; sortFacetValuesBy: Record<string, "alpha" | "count"> };
  pagination: { maxTotalHits: number };
  /** Name to embedder object, with secrets in clear; redacted only when shown. */
  embedders: Record<string, JsonObject>;
  /** Sizes of vectors that embedders do not tell by themselves, as found when they were set up. Never shown. */
  embedderDimensions?: Record<string, number>;
  searchCutoffMs: number | null;
  localizedAttributes: LocalizedRule[];
  facetSearch: boolean;
  prefixSearch: "indexingTime" | "disabled";
  chat: JsonObject;
}
