/** Which rules sort a search, in which order: the index's ranking rules with the request's own sort put in its place. */

import { apiError } from "../../base/errors/errors.ts";
import { customRankingRule, isDisplayed } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { checkSort, parseSort, SortError, type SortRule } from "../filter/sort.ts";
import { RELEVANCY, type RelevancyRule, type RuleName } from "./rule-table.ts";

function isRelevancyRule(name: string): name is RelevancyRule {
  return Object.hasOwn(RELEVANCY, name);
}

interface RuleInput {
  settings: Settings;
  /** Whether there are words to rank by. */
  hasQuery: boolean;
  /** One rule, in the place of the first about words, compares vectors; the other ones about words say nothing. */
  byVector: boolean;
  /** False when every word must match anyway. */
  ranksWords: boolean;
  sort: readonly string[] | null;
}

/** Of searches by words that are not sorted, for each settings: with the words themselves, and without. */
const usual = new WeakMap<Settings, [ranking?: readonly RuleName[], unranked?: readonly RuleName[]]>();

/** Throws an ApiError for a sort that cannot be used. */
export function ruleList(input: RuleInput): readonly RuleName[] {
  const { settings, hasQuery, byVector, ranksWords, sort } = input;
  if (!hasQuery || byVector || (sort !== null && sort.length > 0)) return newRuleList(input);
  let lists = usual.get(settings);
  if (lists === undefined) {
    lists = [];
    usual.set(settings, lists);
  }
  const kind = ranksWords ? 0 : 1;
  lists[kind] ??= newRuleList(input);
  return lists[kind];
}

function newRuleList({ settings, hasQuery, byVector, ranksWords, sort }: RuleInput): RuleName[] {
  const requested = readSort(sort, settings);
  const rules: RuleName[] = [];
  const seen = new Set<string>(ranksWords ? [] : ["words"]);
  const fields = new Set<string>();
  const addSort = (rule: SortRule): void => {
    const name = rule.kind === "field" ? rule.field : `_geoPoint(${rule.lat},${rule.lng})`;
    if (fields.has(name)) return;
    fields.add(name);
    rules.push({ kind: "sort", rule });
  };
  for (const name of settings.rankingRules) {
    const isRelevancy = isRelevancyRule(name);
    if (isRelevancy && byVector && !seen.has("vector")) {
      seen.add("vector");
      rules.push({ kind: "vector" });
    }
    if (isRelevancy && (byVector || !hasQuery)) continue;
    if (isRelevancy && !seen.has("words")) {
      seen.add("words");
      rules.push({ kind: "words" });
    }
    if (name === "sort" && !seen.has(name)) requested.forEach(addSort);
    if (!isRelevancy && name !== "sort") {
      const custom = customRankingRule(name);
      if (custom !== null) addSort({ kind: "field", field: custom.field, descending: custom.direction === "desc" });
    } else if (!seen.has(name)) {
      seen.add(name);
      if (isRelevancy) rules.push(...RELEVANCY[name](seen));
    }
  }
  return rules;
}

function readSort(sort: readonly string[] | null, settings: Settings): SortRule[] {
  if (sort === null || sort.length === 0) return [];
  try {
    const rules = parseSort(sort);
    checkSort(rules, settings, (name) => isDisplayed(settings, name));
    if (!settings.rankingRules.includes("sort")) {
      throw new SortError("The ranking rules of this index do not contain `sort`, so a search cannot be sorted.");
    }
    return rules;
  } catch (problem) {
    if (problem instanceof SortError) throw apiError("invalid_search_sort", problem.message);
    throw problem;
  }
}
