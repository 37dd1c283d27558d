/**
 * What clients may write into the settings of an index, as a whole or one by one. What can be refused at once is
 * refused here; what depends on the stored settings is checked when the task runs.
 */

import { apiError } from "../errors/errors.ts";
import { isObject, type Json, type JsonObject } from "../json/value.ts";
import { limits } from "../limits.ts";
import { checkEmbedderUpdate, EMBEDDER_SOURCES, EMBEDDERS_MAX } from "./embedders.ts";
import { type Features, requireFeature } from "./features.ts";
import { checkUid } from "./indexes.ts";
import { LOCALES } from "./locales.ts";
import {
  anything,
  choice,
  count,
  decimal,
  dictionary,
  either,
  flag,
  list,
  nothing,
  object,
  resettable,
  type Schema,
  text,
  texts,
} from "./schema.ts";
import { type Place, validate } from "./validate.ts";

const ATTRIBUTES = { maxItems: limits.attributeNames };

const filterableRule = object({
  attributePatterns: texts({ default: [] }),
  features: object(
    {
      facetSearch: flag({ default: false }),
      filter: object(
        { equality: flag({ default: true }), comparison: flag({ default: false }) },
        { default: { equality: true, comparison: false } },
      ),
    },
    { default: { facetSearch: false, filter: { equality: true, comparison: false } } },
  ),
});

const localizedRule = object({
  locales: list(choice([...LOCALES]), { default: [] }),
  attributePatterns: texts({ default: [] }),
});

const typoTolerance = object(
  {
    enabled: resettable(flag()),
    minWordSizeForTypos: resettable(
      object(
        { oneTypo: resettable(count({ maximum: 255 })), twoTypos: resettable(count({ maximum: 255 })) },
        { check: checkTypoSizes },
      ),
    ),
    disableOnWords: resettable(texts()),
    disableOnAttributes: resettable(texts(ATTRIBUTES)),
    disableOnNumbers: resettable(flag()),
  },
  { code: "invalid_settings_typo_tolerance" },
);

const faceting = object(
  {
    maxValuesPerFacet: resettable(count()),
    sortFacetValuesBy: resettable(dictionary(choice(["alpha", "count"]), { check: checkNames })),
  },
  { code: "invalid_settings_faceting" },
);

const fragments = () => resettable(dictionary(either([object({ value: anything() }), nothing()])));

const subEmbedderFields = {
  source: resettable(choice([...EMBEDDER_SOURCES])),
  model: resettable(text()),
  revision: resettable(text()),
  pooling: resettable(choice(["useModel", "forceMean", "forceCls"])),
  apiKey: resettable(text()),
  dimensions: resettable(count()),
  documentTemplate: resettable(text()),
  documentTemplateMaxBytes: resettable(count()),
  url: resettable(text()),
  indexingFragments: fragments(),
  searchFragments: fragments(),
  request: resettable(anything()),
  response: resettable(anything()),
  headers: resettable(dictionary(text())),
  distribution: resettable(object({ mean: unit(), sigma: unit() })),
  binaryQuantized: resettable(flag()),
};

const embedder = object({
  ...subEmbedderFields,
  searchEmbedder: resettable(object(subEmbedderFields)),
  indexingEmbedder: resettable(object(subEmbedderFields)),
});

const chat = object(
  {
    description: resettable(text()),
    documentTemplate: resettable(text()),
    documentTemplateMaxBytes: resettable(count({ minimum: 1 })),
    searchParameters: resettable(
      object({
        hybrid: resettable(object({ embedder: text(), semanticRatio: resettable(unit()) })),
        limit: resettable(count()),
        sort: resettable(texts()),
        distinct: resettable(text()),
        matchingStrategy: resettable(choice(["last", "all", "frequency"])),
        attributesToSearchOn: resettable(texts()),
        rankingScoreThreshold: resettable(unit()),
      }),
    ),
  },
  { code: "invalid_settings_index_chat" },
);

/** One description a setting, in the order of the full object. */
export const settingSchemas = {
  displayedAttributes: texts({ code: "invalid_settings_displayed_attributes", ...ATTRIBUTES }),
  searchableAttributes: texts({ code: "invalid_settings_searchable_attributes", ...ATTRIBUTES }),
  filterableAttributes: list(either([text(), filterableRule]), {
    code: "invalid_settings_filterable_attributes",
    check: checkPatterns,
    ...ATTRIBUTES,
  }),
  sortableAttributes: texts({ code: "invalid_settings_sortable_attributes", ...ATTRIBUTES }),
  foreignKeys: list(object({ foreignIndexUid: text({ check: checkUid }), fieldName: text() }), {
    code: "invalid_settings_foreign_keys",
    maxItems: limits.foreignKeys,
  }),
  rankingRules: list(text({ check: checkRankingRule }), {
    code: "invalid_settings_ranking_rules",
    maxItems: limits.rankingRules,
    check: (rules, at) => checkRankingRules(rules as string[], at),
  }),
  stopWords: texts({ code: "invalid_settings_stop_words" }),
  nonSeparatorTokens: texts({ code: "invalid_settings_non_separator_tokens" }),
  separatorTokens: texts({ code: "invalid_settings_separator_tokens" }),
  dictionary: texts({ code: "invalid_settings_dictionary" }),
  synonyms: dictionary(texts(), { code: "invalid_settings_synonyms" }),
  distinctAttribute: text({ code: "invalid_settings_distinct_attribute" }),
  proximityPrecision: choice(["byWord", "byAttribute"], { code: "invalid_settings_proximity_precision" }),
  typoTolerance,
  faceting,
  pagination: object({ maxTotalHits: resettable(count({ minimum: 1 })) }, { code: "invalid_settings_pagination" }),
  embedders: dictionary(either([embedder, nothing()]), {
    code: "invalid_settings_embedders",
    check: (embedders, at) => {
      if (Object.keys(embedders).length > EMBEDDERS_MAX) at.refuse(`at most ${EMBEDDERS_MAX} embedders are accepted.`);
    },
  }),
  searchCutoffMs: count({ code: "invalid_settings_search_cutoff_ms" }),
  localizedAttributes: list(localizedRule, {
    code: "invalid_settings_localized_attributes",
    check: checkPatterns,
  }),
  facetSearch: flag({ code: "invalid_settings_facet_search" }),
  prefixSearch: choice(["indexingTime", "disabled"], { code: "invalid_settings_prefix_search" }),
  chat,
};

export type WritableSetting = keyof typeof settingSchemas;

/** The sub-routes: the last part of the path, and the verb that updates. */
export interface SettingRoute {
  name: WritableSetting;
  segment: string;
  /** By which it is changed. */
  verbs: readonly ("PUT" | "PATCH")[];
}

/** Objects whose members are changed one by one. The interface documents PUT for `chat`, its examples use PATCH: both serve. */
const VERBS: { readonly [name in WritableSetting]?: SettingRoute["verbs"] } = {
  typoTolerance: ["PATCH"],
  faceting: ["PATCH"],
  pagination: ["PATCH"],
  embedders: ["PATCH"],
  chat: ["PUT", "PATCH"],
};

export const SETTING_ROUTES: readonly SettingRoute[] = (Object.keys(settingSchemas) as WritableSetting[]).map(
  (name) => ({
    name,
    segment: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    verbs: VERBS[name] ?? ["PUT"],
  }),
);

export const settingsSchema = object(
  Object.fromEntries(Object.entries(settingSchemas).map(([name, schema]) => [name, resettable(schema as Schema)])),
);

/** Any part of the settings, as submitted: absent keeps, null resets. */
export function parseSettings(body: unknown, features: Features): JsonObject {
  return checkTogether(validate(settingsSchema, body) as JsonObject, features);
}

/** Without repetitions, in the order of the UTF-8 bytes. */
export function sortedSet(names: readonly string[]): string[] {
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** One setting by its own route, as an update of that setting alone; a null body resets it. */
export function parseSetting(name: WritableSetting, body: unknown, features: Features): JsonObject {
  if (body === null) return { [name]: null };
  const value = validate(settingSchemas[name] as Schema, body);
  return checkTogether({ [name]: value } as JsonObject, features);
}

export function typoSizesMessage(oneTypo: number, twoTypos: number): string {
  return `\`minWordSizeForTypos\` is invalid: \`oneTypo\` and \`twoTypos\` must lie between \`0\` and \`255\`, and \`twoTypos\` must not be below \`oneTypo\`, but found \`oneTypo: ${oneTypo}\` and \`twoTypos: ${twoTypos}\`.`;
}

function checkTogether(update: JsonObject, features: Features): JsonObject {
  if (update["chat"] != null) requireFeature(features, "chatCompletions", "Setting `chat` in the index settings");
  if (update["foreignKeys"] != null) {
    requireFeature(features, "foreignKeys", "Setting `foreignKeys` in the index settings");
  }
  for (const [name, change] of Object.entries((update["embedders"] ?? {}) as JsonObject)) {
    if (change !== null) checkEmbedderUpdate(`.embedders.${name}`, change as JsonObject, features);
  }
  return withSets(update);
}

/** Lists in which neither order nor repetition means anything are kept, and shown by the task, as sorted sets. */
function withSets(update: JsonObject): JsonObject {
  const settled = { ...update };
  for (const name of ["sortableAttributes", "stopWords", "nonSeparatorTokens", "separatorTokens", "dictionary"]) {
    asSet(settled, name);
  }
  if (settled["typoTolerance"] != null) {
    const tolerance = { ...(settled["typoTolerance"] as JsonObject) };
    for (const name of ["disableOnWords", "disableOnAttributes"]) asSet(tolerance, name);
    settled["typoTolerance"] = tolerance;
  }
  return settled;
}

function asSet(holder: JsonObject, name: string): void {
  const names = holder[name];
  if (Array.isArray(names)) holder[name] = sortedSet(names as string[]);
}

function checkNames(values: JsonObject, at: Place): void {
  const count = Object.keys(values).length;
  if (count > limits.attributeNames)
    at.refuse(`${count} names are more than the ${limits.attributeNames} that are accepted`);
}

/** Each field of a document is compared with every pattern. A rule without any counts as one. */
function checkPatterns(rules: Json[], at: Place): void {
  let count = 0;
  for (const rule of rules) {
    if (isObject(rule)) count += Math.max(1, (rule["attributePatterns"] as Json[] | undefined)?.length ?? 0);
  }
  const most = limits.attributePatterns;
  if (count > most) at.refuse(`${count} patterns in its rules are more than the ${most} that are accepted`);
}

function checkTypoSizes(sizes: JsonObject): void {
  const { oneTypo, twoTypos } = sizes;
  if (typeof oneTypo === "number" && typeof twoTypos === "number" && oneTypo > twoTypos) {
    throw apiError("invalid_settings_typo_tolerance", typoSizesMessage(oneTypo, twoTypos));
  }
}

/** In the order in which messages would name them; `engine/rank/rule-table.ts` says what each stands for. */
const BUILT_IN_RULES = [
  "words",
  "typo",
  "proximity",
  "attribute",
  "attributeRank",
  "wordPosition",
  "sort",
  "exactness",
] as const;

export type BuiltInRule = (typeof BUILT_IN_RULES)[number];

function checkRankingRule(rule: string, at: Place): void {
  if (BUILT_IN_RULES.some((name) => name === rule)) return;
  const field = /^(.+):(?:asc|desc)$/s.exec(rule)?.[1];
  if (field === undefined) {
    at.refuse(
      `\`${rule}\` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules.`,
    );
  }
  if (/^_geo(?:Point|Distance|Radius|BoundingBox)?(?:\(|$)/.test(field)) {
    at.refuse(`\`${field}\` is a reserved keyword and thus can't be used as a ranking rule.`);
  }
}

function checkRankingRules(rules: string[], at: Place): void {
  const split = rules.find((rule) => rule === "attributeRank" || rule === "wordPosition");
  if (split !== undefined && rules.includes("attribute")) {
    at.refuse(`the ranking rule \`attribute\` already contains \`${split}\`: they cannot be used together.`);
  }
}

/** A number from 0 to 1. */
function unit() {
  return decimal({ minimum: 0, maximum: 1 });
}
