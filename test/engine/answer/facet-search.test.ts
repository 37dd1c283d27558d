import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ApiError } from "../../../src/base/errors/errors.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import {
  checkFacetName,
  checkFacetSearchEnabled,
  facetSearch,
  facetSearchAnswer,
} from "../../../src/engine/answer/facet-search.ts";
import { TypoPrefix } from "../../../src/engine/answer/typo-prefix.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";

import { closeIndexed, indexed } from "./indexed.ts";

const docs = [
  { id: 0, genres: ["Action", "Adventure", "Science Fiction"], year: 1999 },
  { id: 1, genres: ["Action", "drama"], year: 2000 },
  { id: 2, genres: ["Action", "Adventure", "Élégie"], year: 2001 },
  { id: 3, genres: "Drama", year: 2001 },
];

/** Hits as `value:count`. */
function found(facetQuery: string | null, settings: JsonObject = {}, candidates?: number[], spread = 1): string[] {
  const view = indexed(docs, { filterableAttributes: ["genres", "year"], ...settings }, spread);
  const rows = candidates === undefined ? view.everything : [Bitmap.of(docs.length, candidates)];
  const hits = facetSearch(view, rows, { facetName: "genres", facetQuery, locales: null });
  closeIndexed(view);
  return hits.map(({ value, count }) => `${value}:${count}`);
}

describe("facet search", () => {
  const all = ["Action:3", "Adventure:2", "drama:2", "Élégie:1", "Science Fiction:1"];
  const byCount = { faceting: { sortFacetValuesBy: { "*": "count" } } };
  const typo = (typoTolerance: JsonObject) => ({ typoTolerance });
  const cases: [name: string, query: string | null, settings: JsonObject, expected: string[]][] = [
    ["all values without a query", null, {}, all],
    ["all values for an empty query", "", {}, all],
    ["values that begin with it", "a", {}, ["Action:3", "Adventure:2"]],
    ["values whatever their case and accents", "ELE", {}, ["Élégie:1"]],
    ["no inner words", "fiction", {}, []],
    ["values past a space", "science f", {}, ["Science Fiction:1"]],
    ["values whose first word is the query, after a space", "science ", {}, ["Science Fiction:1"]],
    ["no longer word for a query that ends in a space", "act ", {}, []],
    ["values with a typo", "adventre", {}, ["Adventure:2"]],
    ["values with a wrong first letter", "bdventure", {}, ["Adventure:2"]],
    ["no typo in a short query", "acn", {}, []],
    ["no typo when they are off", "adventre", typo({ enabled: false }), []],
    ["no typo in such a word", "adventre", typo({ disableOnWords: ["Adventre"] }), []],
    ["only the value itself for such a word", "adven", typo({ disableOnWords: ["adven"] }), []],
    ["no typo in such an attribute", "adventre", typo({ disableOnAttributes: ["genres"] }), []],
    ["values by count", "a", byCount, ["Action:3", "Adventure:2"]],
    [
      "all values by count, the later spelling first",
      null,
      byCount,
      ["Action:3", "drama:2", "Adventure:2", "Élégie:1", "Science Fiction:1"],
    ],
    ["no more than the limit", "a", { faceting: { maxValuesPerFacet: 1 } }, ["Action:3"]],
    ["nothing within a limit of none", null, { faceting: { maxValuesPerFacet: 0 } }, []],
  ];
  for (const [name, query, settings, expected] of cases) {
    it(`finds ${name}`, () => {
      for (const spread of [1, 3]) assert.deepEqual(found(query, settings, undefined, spread), expected);
    });
  }

  it("has values without a query in the order of their texts, for an empty one in that of their forms", () => {
    const texts = ["Zoo", "état", "Eté", "abc", "été"];
    const view = indexed(
      texts.map((text, id) => ({ id, text })),
      { filterableAttributes: ["text"] },
    );
    const values = (facetQuery: string | null): string[] =>
      facetSearch(view, view.everything, { facetName: "text", facetQuery, locales: null }).map(({ value }) => value);
    assert.deepEqual(values(null), ["abc", "Eté", "état", "été", "Zoo"]);
    assert.deepEqual(values(""), ["abc", "état", "Eté", "été", "Zoo"]);
    closeIndexed(view);
  });

  it("has the first of very many values", () => {
    const many = Array.from({ length: 500 }, (_, id) => ({ id, text: `${(id * 271) % 500}é`.padStart(4, "0") }));
    const view = indexed(many, { filterableAttributes: ["text"], faceting: { maxValuesPerFacet: 7 } });
    const hits = facetSearch(view, view.everything, { facetName: "text", facetQuery: "0", locales: null });
    assert.deepEqual(
      hits.map(({ value }) => value),
      Array.from({ length: 7 }, (_, i) => `00${i}é`),
    );
    closeIndexed(view);
  });

  it("counts candidates only", () => {
    assert.deepEqual(found("a", {}, [1, 3]), ["Action:1"]);
    assert.deepEqual(found("dr", {}, [3]), ["Drama:1"]);
    assert.deepEqual(found(null, {}, []), []);
  });

  it("finds no numbers, and nothing in a field without documents", () => {
    const view = indexed(docs, { filterableAttributes: ["year", "nobody"] });
    for (const facetName of ["year", "nobody"]) {
      assert.deepEqual(facetSearch(view, view.everything, { facetName, facetQuery: null, locales: null }), []);
    }
    closeIndexed(view);
  });

  it("says why it cannot search", () => {
    const refusal = (update: JsonObject, name: string): string => {
      try {
        const settings = applySettingsUpdate(defaultSettings(), update);
        checkFacetSearchEnabled(settings);
        checkFacetName(settings, name);
      } catch (error) {
        return (error as ApiError).code;
      }
      return "none";
    };
    const features = { facetSearch: true, filter: { equality: true, comparison: false } };
    const rules = [
      { attributePatterns: ["a*"], features },
      { attributePatterns: ["b"], features: { ...features, facetSearch: false } },
    ];
    assert.equal(refusal({ filterableAttributes: ["a"] }, "a.b"), "none");
    assert.equal(refusal({ filterableAttributes: rules }, "abc"), "none");
    assert.equal(refusal({ filterableAttributes: rules }, "b"), "invalid_facet_search_facet_name");
    assert.equal(refusal({}, "a"), "invalid_facet_search_facet_name");
    assert.equal(refusal({ facetSearch: false }, "a"), "facet_search_disabled");
  });

  it("answers with the query as it was sent", () => {
    const view = indexed(docs, { filterableAttributes: ["genres"] });
    const query = { facetName: "genres", facetQuery: 'no "such', locales: null };
    const body = Buffer.from(facetSearchAnswer(view, view.everything, query, performance.now())).toString();
    assert.match(body, /^\{"facetHits":\[\],"facetQuery":"no \\"such","processingTimeMs":\d+\}$/);
    const all = facetSearchAnswer(view, view.everything, { ...query, facetQuery: null }, performance.now());
    assert.deepEqual(JSON.parse(Buffer.from(all).toString()).facetHits[0], { value: "Action", count: 3 });
    closeIndexed(view);
  });
});

describe("beginnings with typos", () => {
  const near = (query: string, typos: number, value: string) => new TypoPrefix(query, typos).matches(value);

  it("forgives as many as allowed", () => {
    assert.ok(near("adventre", 1, "adventures"));
    assert.ok(near("advnetu", 1, "adventures"));
    assert.ok(!near("advntre", 1, "adventures"));
    assert.ok(near("advntre", 2, "adventures"));
    assert.ok(near("", 1, "anything"));
    assert.ok(!near("a", 0, ""));
  });

  it("judges a value at the first beginning that nothing could improve", () => {
    assert.ok(near("melonbque", 2, "melonblue"));
    assert.ok(near("melonbque", 2, "melonbluaee"));
    assert.ok(!near("melonbque", 2, "melonberry"));
  });

  it("agrees with a full table of distances", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "𝄞"), maxLength: 8 });
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 0, max: 2 }), (query, value, typos) => {
        assert.equal(near(query, typos, value), isNear([...query], [...value], typos));
      }),
      { numRuns: 500 },
    );
  });
});

/** The same by comparing every beginning of the one with every beginning of the other. */
function isNear(query: string[], value: string[], typos: number): boolean {
  for (let length = 0; length < value.length; length++) {
    const part = value.slice(0, length);
    const distance = editDistance(query, part);
    const others = query.map((_, shorter) => editDistance(query.slice(0, shorter), part));
    if (distance <= typos && others.every((other) => other >= distance)) return true;
  }
  return editDistance(query, value) <= typos;
}

/** Insertions, deletions, replacements, and swaps of neighbours. */
function editDistance(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      table[i]![j] = Math.min(replaced, table[i - 1]![j]! + 1, table[i]![j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1);
      }
    }
  }
  return table[a.length]![b.length]!;
}
