/**
 * What of a document is indexed and how: plain data, so that it can cross threads, taken from the settings of an index.
 * Two equal sets of rules give equal segments for the same documents.
 */
import type { EmbedderRule } from "../settings/embedders.ts";

import { embedderRules } from "../settings/embedders.ts";
import { nameTree } from "../settings/name-tree.ts";
import {
  coversField,
  customRankingRule,
  filtersGeo,
  filtersGeoJson,
  localesFor,
  matchesPattern,
  sortsGeo,
} from "../settings/patterns.ts";
import type { Settings } from "../settings/settings.ts";

export interface ExtractionRules {
  /** Names whose words are indexed, with all below them; null = every field. */
  searchable: string[] | null;
  /** Fields kept in columns: names that include all below them, names alone, and patterns. */
  facetedTrees: string[];
  facetedNames: string[];
  facetedPatterns: string[];
  /** The first rule with a matching pattern gives the languages that detection may choose from. */
  localized: { attributePatterns: string[]; locales: string[] }[];
  stopWords: string[];
  separators: string[];
  nonSeparators: string[];
  dictionary: string[];
  geo: boolean;
  geojson: boolean;
  /** Embedders whose vectors are kept. */
  embedders: EmbedderRule[];
}

/** Handled apart from other fields; neither they nor anything below them has words, and only coordinates have columns. */
const RESERVED_FIELDS = ["_geo", "_geojson", "_vectors"];

export function extractionRules(settings: Settings): ExtractionRules {
  const filterable = settings.filterableAttributes;
  const trees = filterable.filter((rule) => typeof rule === "string").concat(settings.sortableAttributes);
  const names = settings.rankingRules.map((rule) => customRankingRule(rule)?.field);
  names.push(settings.distinctAttribute ?? undefined);
  return {
    searchable: settings.searchableAttributes.includes("*") ? null : settings.searchableAttributes,
    facetedTrees: [...new Set(trees)],
    facetedNames: [...new Set(names)].filter((name) => name !== undefined),
    facetedPatterns: filterable.flatMap((rule) => (typeof rule === "string" ? [] : rule.attributePatterns)),
    localized: settings.localizedAttributes,
    stopWords: settings.stopWords,
    separators: settings.separatorTokens,
    nonSeparators: settings.nonSeparatorTokens,
    dictionary: settings.dictionary,
    geo: filtersGeo(settings) || sortsGeo(settings),
    geojson: filtersGeoJson(settings),
    embedders: embedderRules(settings),
  };
}

export function isReserved(field: string): boolean {
  return RESERVED_FIELDS.some((name) => coversField(name, field));
}

export function isSearchable(rules: ExtractionRules, field: string): boolean {
  return rules.searchable === null || nameTree(rules.searchable).covers(field);
}

export function isFaceted(rules: ExtractionRules, field: string): boolean {
  return (
    rules.facetedNames.includes(field) ||
    nameTree(rules.facetedTrees).covers(field) ||
    rules.facetedPatterns.some((pattern) => matchesPattern(pattern, field))
  );
}

/** False when neither the field nor anything below it can be wanted. */
export function isWanted(rules: ExtractionRules, field: string): boolean {
  if (isSearchable(rules, field) || isFaceted(rules, field)) return true;
  return (
    nameTree(rules.searchable!).reaches(field) ||
    nameTree(rules.facetedNames).reaches(field) ||
    nameTree(rules.facetedTrees).reaches(field) ||
    rules.facetedPatterns.some((pattern) => pattern.includes("*") || coversField(field, pattern))
  );
}

export function localesOf(rules: ExtractionRules, field: string): string[] | null {
  return localesFor({ localizedAttributes: rules.localized }, field);
}
