/**
 * What an update makes of the settings of an index, and what of the index must then be built again.
 * An update is what the contract let through: absent keeps, null resets. Nothing here touches documents.
 */

import { sortedSet } from "../../base/contract/settings.ts";
import { type Json, type JsonObject, mapped } from "../../base/json/value.ts";

import { embedderRules } from "./embedders.ts";
import { nameTree } from "./name-tree.ts";
import { customRankingRule } from "./patterns.ts";
import { SETTING_ENTRIES, SETTINGS, type SettingName, type Settings } from "./settings.ts";

/** What an index has before anything is set; a new object each time. */
export function defaultSettings(): Settings {
  return mapped(SETTINGS, ({ fresh }) => structuredClone(fresh)) as unknown as Settings;
}

/** The update that resets everything. */
export function resetAllSettings(): JsonObject {
  return mapped(SETTINGS, () => null);
}

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
  next[name] = value === null ? defaults[name] : SETTING_ENTRIES[name].merge(value, next[name]);
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
