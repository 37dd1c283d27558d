/**
 * Which settings speak about a field: name patterns, and the questions every part asks about one field name.
 * Pure functions over complete settings; nothing here knows documents or segments.
 */
import { NameTree, nameTree } from "./name-tree.ts";
import type { Settings } from "./settings.ts";
import type { FilterableRule, FilterFeatures } from "./values.ts";

/** The rule that decides about a field, with its position in `filterableAttributes` for messages. */
export interface FilterRule {
  position: number;
  features: FilterFeatures;
}

/** Fields of the server itself: only their plain names reach them, never a pattern, and features do not restrict them. */
const RESERVED_FIELDS = ["_geo", "_geojson", "_vectors", "_foreign", "_shard"];

const EVERY_FEATURE: FilterFeatures = { facetSearch: true, filter: { equality: true, comparison: true } };

/** `*` stands for any text, at the beginning, at the end, or at both ends; elsewhere it is an ordinary character. */
export function matchesPattern(pattern: string, field: string): boolean {
  if (pattern === "*") return true;
  const open = pattern.startsWith("*");
  const ended = pattern.endsWith("*");
  if (open && ended) return field.includes(pattern.slice(1, -1));
  if (open) return field.endsWith(pattern.slice(1));
  if (ended) return field.startsWith(pattern.slice(0, -1));
  return field === pattern;
}

export function isPattern(name: string): boolean {
  return name.startsWith("*") || name.endsWith("*");
}

/** True for the name itself and for everything below it: `a` covers `a.b`. */
export function coversField(name: string, field: string): boolean {
  return field === name || (field.length > name.length && field[name.length] === "." && field.startsWith(name));
}

/** The plain names of a list of rules, and the rules with patterns, each with their position. */
interface SplitRules {
  names: NameTree;
  patterns: { position: number; rule: PatternRule }[];
}

type PatternRule = Exclude<FilterableRule, string>;

const splitLists = new WeakMap<readonly FilterableRule[], SplitRules>();

function splitRules(rules: readonly FilterableRule[]): SplitRules {
  let split = splitLists.get(rules);
  if (split === undefined) {
    const names = rules.flatMap((rule, position) => (typeof rule === "string" ? [[rule, position] as const] : []));
    const patterns = rules.flatMap((rule, position) => (typeof rule === "string" ? [] : [{ position, rule }]));
    split = { names: new NameTree(names), patterns };
    splitLists.set(rules, split);
  }
  return split;
}

/** The first rule that matches decides, even when a later one would allow more. */
export function filterRuleFor(settings: Settings, field: string): FilterRule | null {
  const { names, patterns } = splitRules(settings.filterableAttributes);
  const named = names.find(field);
  const matching = patterns.find(({ rule }) => patternsMatch(rule, field));
  if (matching === undefined || (named >= 0 && named < matching.position)) {
    return named < 0 ? null : { position: named, features: EVERY_FEATURE };
  }
  const { position, rule } = matching;
  return { position, features: isReserved(field) ? EVERY_FEATURE : rule.features };
}

export function isSortable(settings: Settings, field: string): boolean {
  return nameTree(settings.sortableAttributes).covers(field);
}

/** Rank of the field among the searchable ones, 0 first; -1 when its words are not searched. */
export function searchableWeight(settings: Settings, field: string): number {
  const names = settings.searchableAttributes;
  if (names.length === 1 && names[0] === "*") return 0;
  return nameTree(names).find(field);
}

export function isDisplayed(settings: Settings, field: string): boolean {
  const tree = nameTree(settings.displayedAttributes);
  return tree.covers("*") || tree.covers(field);
}

/** The languages allowed for the field's text; null leaves the choice to detection. */
export function localesFor(settings: Pick<Settings, "localizedAttributes">, field: string): string[] | null {
  const rule = settings.localizedAttributes.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesPattern(pattern, field)),
  );
  return rule && rule.locales.length > 0 ? rule.locales : null;
}

/** `price:asc` is a custom rule on `price`; the built-in names are none. */
export function customRankingRule(rule: string): { field: string; direction: "asc" | "desc" } | null {
  if (rule.endsWith(":asc")) return { field: rule.slice(0, -4), direction: "asc" };
  if (rule.endsWith(":desc")) return { field: rule.slice(0, -5), direction: "desc" };
  return null;
}

export function filtersGeo(settings: Settings): boolean {
  return settings.filterableAttributes.some((rule) => namesField(rule, "_geo"));
}

export function sortsGeo(settings: Settings): boolean {
  return settings.sortableAttributes.includes("_geo");
}

export function filtersGeoJson(settings: Settings): boolean {
  return settings.filterableAttributes.some((rule) => namesField(rule, "_geojson"));
}

function isReserved(field: string): boolean {
  return RESERVED_FIELDS.some((name) => coversField(name, field));
}

function namesField(rule: FilterableRule, field: string): boolean {
  return typeof rule === "string" ? rule === field : rule.attributePatterns.includes(field);
}

function patternsMatch(rule: PatternRule, field: string): boolean {
  if (isReserved(field)) return rule.attributePatterns.some((name) => coversField(name, field));
  return rule.attributePatterns.some((pattern) => matchesPattern(pattern, field));
}
