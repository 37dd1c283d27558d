import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defaultFeatures, type Features } from "../../../src/base/contract/features.ts";
import { parseSetting, parseSettings, SETTING_ROUTES } from "../../../src/base/contract/settings.ts";
import type { ErrorCode } from "../../../src/base/errors/errors.ts";
import { redactSettings } from "../../../src/base/json/secrets.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import {
  filterRuleFor,
  isSortable,
  localesFor,
  matchesPattern,
  searchableWeight,
} from "../../../src/storage/settings/patterns.ts";
import type { Settings } from "../../../src/storage/settings/settings.ts";
import {
  applySettingsUpdate,
  defaultSettings,
  resetAllSettings,
  whatMustRebuild,
} from "../../../src/storage/settings/update.ts";
import { settingsView, settingView } from "../../../src/storage/settings/view.ts";

import { refusal } from "../../base/contract/refusal.ts";

const features: Features = { ...defaultFeatures(), compositeEmbedders: true, multimodal: true, chatCompletions: true };
const apply = (update: object, current = defaultSettings()) =>
  applySettingsUpdate(current, parseSettings(update, features));

test("sets come back sorted and without repetition, lists in their order", () => {
  const settings = apply({
    sortableAttributes: ["b", "a", "b"],
    stopWords: ["the", "a", "the"],
    searchableAttributes: ["z", "a", "z"],
    displayedAttributes: ["z", "*"],
    dictionary: ["\u{1F600}", "\uFFFD"],
    synonyms: { b: ["c"], a: ["d"] },
    typoTolerance: { disableOnWords: ["B", "a"], disableOnAttributes: ["z", "y"] },
  });
  assert.deepEqual(settings.sortableAttributes, ["a", "b"]);
  assert.deepEqual(settings.stopWords, ["a", "the"]);
  assert.deepEqual(settings.searchableAttributes, ["z", "a"]);
  assert.deepEqual(settings.displayedAttributes, ["*"]);
  assert.deepEqual(settings.dictionary, ["\uFFFD", "\u{1F600}"]);
  assert.deepEqual(Object.keys(settings.synonyms), ["a", "b"]);
  assert.deepEqual(settings.typoTolerance.disableOnWords, ["a", "b"]);
  assert.deepEqual(settings.typoTolerance.disableOnAttributes, ["y", "z"]);
});

test("an update itself holds sorted sets and complete filterable rules, lists in their order", () => {
  const features = defaultFeatures();
  assert.deepEqual(
    parseSettings(
      {
        stopWords: ["the", "É", "a", "the"],
        searchableAttributes: ["z", "a", "z"],
        filterableAttributes: ["b", { attributePatterns: ["z", "a"] }],
        typoTolerance: { disableOnWords: ["b", "É", "a"], enabled: true },
      },
      features,
    ),
    {
      stopWords: ["a", "the", "É"],
      searchableAttributes: ["z", "a", "z"],
      filterableAttributes: [
        "b",
        {
          attributePatterns: ["z", "a"],
          features: { facetSearch: false, filter: { equality: true, comparison: false } },
        },
      ],
      typoTolerance: { disableOnWords: ["a", "b", "É"], enabled: true },
    },
  );
  assert.deepEqual(parseSetting("sortableAttributes", ["b", "a", "b"], features), { sortableAttributes: ["a", "b"] });
});

test("words without typos are kept normalized", () => {
  const settings = apply({ typoTolerance: { disableOnWords: ["ÉA", "ea", "B"] } });
  assert.deepEqual(settings.typoTolerance.disableOnWords, ["b", "ea"]);
});

test("objects merge by field, null resets a field or the whole", () => {
  const first = apply({
    typoTolerance: { enabled: false, minWordSizeForTypos: { oneTypo: 3 } },
    pagination: { maxTotalHits: 5 },
  });
  const second = apply({ typoTolerance: { minWordSizeForTypos: { twoTypos: 7 } }, pagination: {} }, first);
  assert.equal(second.typoTolerance.enabled, false);
  assert.deepEqual(second.typoTolerance.minWordSizeForTypos, { oneTypo: 3, twoTypos: 7 });
  assert.equal(second.pagination.maxTotalHits, 5);
  const third = apply({ typoTolerance: { enabled: null }, pagination: { maxTotalHits: null } }, second);
  assert.equal(third.typoTolerance.enabled, true);
  assert.equal(third.pagination.maxTotalHits, 1000);
  assert.deepEqual(apply({ typoTolerance: null }, second).typoTolerance, defaultSettings().typoTolerance);
  assert.deepEqual(applySettingsUpdate(second, resetAllSettings()), defaultSettings());
});

test("the order of facet values is replaced as a map, its star comes back", () => {
  const first = apply({ faceting: { sortFacetValuesBy: { "*": "count", a: "alpha" }, maxValuesPerFacet: 5 } });
  assert.deepEqual(first.faceting, { maxValuesPerFacet: 5, sortFacetValuesBy: { "*": "count", a: "alpha" } });
  const second = apply({ faceting: { sortFacetValuesBy: { b: "count" } } }, first);
  assert.deepEqual(second.faceting, { maxValuesPerFacet: 5, sortFacetValuesBy: { "*": "alpha", b: "count" } });
  assert.deepEqual(apply({ faceting: { sortFacetValuesBy: null } }, second).faceting.sortFacetValuesBy, {
    "*": "alpha",
  });
});

test("typo sizes are checked against what is stored", () => {
  assert.equal(
    refusal(() => parseSettings({ typoTolerance: { minWordSizeForTypos: { oneTypo: 9, twoTypos: 5 } } }, features))
      .code,
    "invalid_settings_typo_tolerance",
  );
  const update = parseSettings({ typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } } }, features);
  assert.equal(refusal(() => applySettingsUpdate(defaultSettings(), update)).code, "invalid_settings_typo_tolerance");
});

test("a filterable rule gets the features it leaves out", () => {
  const { filterableAttributes } = apply({
    filterableAttributes: ["a", { attributePatterns: ["b*"], features: { facetSearch: true } }],
  });
  assert.deepEqual(filterableAttributes, [
    "a",
    { attributePatterns: ["b*"], features: { facetSearch: true, filter: { equality: true, comparison: false } } },
  ]);
});

const refused: [string, unknown, ErrorCode][] = [
  ["searchableAttributes", "doggo", "invalid_settings_searchable_attributes"],
  ["filterableAttributes", [{ x: 1 }], "invalid_settings_filterable_attributes"],
  ["filterableAttributes", [{ attributePatterns: ["a"], features: null }], "invalid_settings_filterable_attributes"],
  [
    "filterableAttributes",
    [{ attributePatterns: ["a"], features: { filter: { equality: null } } }],
    "invalid_settings_filterable_attributes",
  ],
  ["faceting", { sortFacetValuesBy: { a: null } }, "invalid_settings_faceting"],
  ["rankingRules", ["manyTheFish"], "invalid_settings_ranking_rules"],
  ["rankingRules", ["_geoPoint(1,2):asc"], "invalid_settings_ranking_rules"],
  ["rankingRules", ["attribute", "wordPosition"], "invalid_settings_ranking_rules"],
  ["synonyms", { a: "b" }, "invalid_settings_synonyms"],
  ["distinctAttribute", ["a"], "invalid_settings_distinct_attribute"],
  ["typoTolerance", { minWordSizeForTypos: "x" }, "invalid_settings_typo_tolerance"],
  ["typoTolerance", { minWordSizeForTypos: { twoTypos: 256 } }, "invalid_settings_typo_tolerance"],
  ["typoTolerance", { typoTolerance: {} }, "invalid_settings_typo_tolerance"],
  ["faceting", { sortFacetValuesBy: { a: "x" } }, "invalid_settings_faceting"],
  ["pagination", { maxTotalHits: 0 }, "invalid_settings_pagination"],
  ["searchCutoffMs", -1, "invalid_settings_search_cutoff_ms"],
  ["proximityPrecision", "byLine", "invalid_settings_proximity_precision"],
  ["prefixSearch", true, "invalid_settings_prefix_search"],
  ["facetSearch", "true", "invalid_settings_facet_search"],
  ["localizedAttributes", [{ locales: ["xx"], attributePatterns: ["*"] }], "invalid_settings_localized_attributes"],
  ["embedders", { a: 1 }, "invalid_settings_embedders"],
  ["chat", { x: 1 }, "invalid_settings_index_chat"],
];

for (const [name, value, code] of refused) {
  test(`refuses ${name} ${JSON.stringify(value)}, as a whole and by its own route`, () => {
    assert.equal(refusal(() => parseSettings({ [name]: value }, features)).code, code);
    const segment = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const route = SETTING_ROUTES.find((candidate) => candidate.segment === segment);
    assert.equal(route?.name, name);
    assert.equal(refusal(() => parseSetting(route!.name, value, features)).code, code);
  });
}

test("unknown settings are refused; null resets by either way; gates stand before chat and foreign keys", () => {
  assert.equal(refusal(() => parseSettings({ foo: 1 }, features)).code, "bad_request");
  assert.deepEqual(parseSetting("chat", null, defaultFeatures()), { chat: null });
  assert.deepEqual(parseSettings({ foreignKeys: null }, defaultFeatures()), { foreignKeys: null });
  assert.equal(refusal(() => parseSettings({ chat: {} }, defaultFeatures())).code, "feature_not_enabled");
  assert.equal(refusal(() => parseSetting("foreignKeys", [], defaultFeatures())).code, "feature_not_enabled");
});

test("the view has the order of the interface and shows what features allow", () => {
  const off = settingsView(defaultSettings(), defaultFeatures());
  assert.ok(!("foreignKeys" in off));
  assert.deepEqual(off["chat"], {});
  assert.deepEqual(Object.keys(off).slice(0, 5), [
    "displayedAttributes",
    "searchableAttributes",
    "filterableAttributes",
    "sortableAttributes",
    "rankingRules",
  ]);
  const on = settingsView(defaultSettings(), { ...features, foreignKeys: true });
  assert.deepEqual(on["foreignKeys"], []);
  assert.equal((on["chat"] as JsonObject)["documentTemplateMaxBytes"], 400);
  assert.deepEqual(settingView(defaultSettings(), "localizedAttributes"), []);
});

const rebuilds: [string, object, object, { text: boolean; facets: boolean }][] = [
  ["stop words", {}, { stopWords: ["a"] }, { text: true, facets: false }],
  [
    "locales",
    {},
    { localizedAttributes: [{ locales: ["fra"], attributePatterns: ["*"] }] },
    { text: true, facets: false },
  ],
  ["searched fields", {}, { searchableAttributes: ["a"] }, { text: true, facets: false }],
  [
    "their order",
    { searchableAttributes: ["a", "b"] },
    { searchableAttributes: ["b", "a"] },
    { text: false, facets: false },
  ],
  [
    "a field below one",
    { searchableAttributes: ["a"] },
    { searchableAttributes: ["a", "a.b"] },
    { text: false, facets: false },
  ],
  ["filterable", {}, { filterableAttributes: ["a"] }, { text: false, facets: true }],
  [
    "sortable what was filterable",
    { filterableAttributes: ["a"] },
    { sortableAttributes: ["a"] },
    { text: false, facets: false },
  ],
  ["distinct", {}, { distinctAttribute: "a" }, { text: false, facets: true }],
  ["custom rule", {}, { rankingRules: ["words", "a:asc"] }, { text: false, facets: true }],
  ["its direction", { rankingRules: ["a:asc"] }, { rankingRules: ["a:desc", "words"] }, { text: false, facets: false }],
  ["geo", {}, { sortableAttributes: ["_geo"] }, { text: false, facets: true }],
  [
    "the rest",
    {},
    {
      typoTolerance: { enabled: false, disableOnNumbers: true, disableOnAttributes: ["a"] },
      synonyms: { a: ["b"] },
      prefixSearch: "disabled",
      facetSearch: false,
      proximityPrecision: "byAttribute",
      displayedAttributes: ["a"],
    },
    { text: false, facets: false },
  ],
];

for (const [name, before, change, expected] of rebuilds) {
  test(`what must be built again: ${name}`, () => {
    const current = apply(before);
    assert.deepEqual(whatMustRebuild(current, apply(change, current)), { vectors: false, ...expected });
  });
}

test("patterns match at both ends, and agree with a regular expression", () => {
  for (const [pattern, field, matches] of [
    ["*", "a", true],
    ["a*", "ab", true],
    ["*b", "ab", true],
    ["*b*", "abc", true],
    ["a", "a.b", false],
    ["a*c", "abc", false],
  ] as const)
    assert.equal(matchesPattern(pattern, field), matches, `${pattern} ${field}`);
  const word = fc.stringMatching(/^[ab.]{0,4}$/);
  fc.assert(
    fc.property(fc.boolean(), word, fc.boolean(), word, (open, middle, ended, field) => {
      const pattern = `${open ? "*" : ""}${middle}${ended ? "*" : ""}`;
      const expression = new RegExp(`^${open ? ".*" : ""}${middle.replaceAll(".", "\\.")}${ended ? ".*" : ""}$`);
      assert.equal(matchesPattern(pattern, field), expression.test(field));
    }),
  );
});

test("the first filterable rule decides; plain names cover what is below, patterns do not", () => {
  const settings: Settings = apply({
    filterableAttributes: ["a", { attributePatterns: ["b", "*"] }, "_geo"],
    sortableAttributes: ["s"],
    distinctAttribute: "d",
    rankingRules: ["r:asc"],
    searchableAttributes: ["t", "u.v"],
    localizedAttributes: [
      { locales: [], attributePatterns: ["x"] },
      { locales: ["fra"], attributePatterns: ["*"] },
    ],
  });
  assert.deepEqual(filterRuleFor(settings, "a.c"), {
    position: 0,
    features: { facetSearch: true, filter: { equality: true, comparison: true } },
  });
  assert.equal(filterRuleFor(settings, "b.c")?.position, 1);
  assert.equal(filterRuleFor(settings, "_geo")?.position, 2);
  assert.equal(filterRuleFor(settings, "_vectors"), null);
  const plain = { ...settings, filterableAttributes: [] };
  assert.ok(isSortable(plain, "s.x") && !isSortable(plain, "sx"));
  assert.deepEqual(
    ["t", "t.x", "u.v.w", "u"].map((field) => searchableWeight(settings, field)),
    [0, 0, 1, -1],
  );
  assert.equal(searchableWeight(defaultSettings(), "any"), 0);
  assert.deepEqual([localesFor(settings, "x"), localesFor(settings, "y")], [null, ["fra"]]);
});

test("lists of attributes are bounded by what an index can have, patterns by what a field can be held against", () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `field${i}`);
  const said = (name: Parameters<typeof parseSetting>[0], body: unknown) =>
    refusal(() => parseSetting(name, body, { ...features, foreignKeys: true })).message;
  for (const name of [
    "searchableAttributes",
    "displayedAttributes",
    "sortableAttributes",
    "filterableAttributes",
  ] as const) {
    assert.doesNotThrow(() => parseSetting(name, many(65_535), features));
    assert.match(said(name, many(65_536)), /65536 elements are more than the 65535/);
  }
  assert.match(said("typoTolerance", { disableOnAttributes: many(65_536) }), /more than the 65535/);
  const orders = Object.fromEntries(many(65_536).map((field) => [field, "count"]));
  assert.match(said("faceting", { sortFacetValuesBy: orders }), /65536 names are more than the 65535/);
  const empty = Array(1001).fill({});
  assert.match(said("filterableAttributes", empty), /1001 patterns in its rules are more than the 1000/);
  assert.match(said("localizedAttributes", empty), /1001 patterns/);
  assert.match(said("filterableAttributes", [{ attributePatterns: many(1001) }]), /1001 patterns/);
  assert.doesNotThrow(() => parseSetting("filterableAttributes", [{ attributePatterns: many(1000) }], features));
  assert.match(said("foreignKeys", Array(1001).fill({ foreignIndexUid: "a", fieldName: "b" })), /more than the 1000/);
  assert.match(said("rankingRules", Array(1001).fill("a:asc")), /more than the 1000/);
});

test("what must be built again is found in time that grows with the lists, not with their square", () => {
  const many = (prefix: string) => Array.from({ length: 60_000 }, (_, i) => `${prefix}${i}.of.something`);
  const after = apply({
    searchableAttributes: many("a"),
    sortableAttributes: many("b"),
    filterableAttributes: many("c"),
  });
  const from = process.cpuUsage();
  assert.deepEqual(whatMustRebuild(defaultSettings(), after), { text: true, facets: true, vectors: false });
  const { user, system } = process.cpuUsage(from);
  // Half a minute and more when each name was held against every other.
  assert.ok(user + system < 4e6, `${(user + system) / 1e3} ms`);
});

test("an embedder of any name is shown, in settings and in tasks", () => {
  const update = JSON.parse('{"embedders":{"__proto__":{"source":"userProvided","dimensions":3}}}') as JsonObject;
  const settings = apply(update);
  const shown = settingView(settings, "embedders") as JsonObject;
  assert.deepEqual(Object.keys(shown), ["__proto__"]);
  assert.deepEqual(Object.keys(redactSettings(update)["embedders"] as JsonObject), ["__proto__"]);
});
