/** What each ranking rule puts first, on a handful of documents. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiError } from "../../../src/base/errors/errors.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { detailsView } from "../../../src/engine/rank/score.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";

import { ask, idsOf, rows, scoresOf, texts, viewOf } from "./support.ts";

const DEFAULT_RULES = ["words", "typo", "proximity", "attribute", "sort", "exactness"];

function details(view: IndexView, q: string, position = 0): JsonObject {
  return detailsView(ask(view, { q }).hits[position]!.details, () => true);
}

test("words: documents with more of the query come first, and the last words are given up first", () => {
  const view = texts(["kind wolf", "kind", "wolf", "old kind wolf"], { rankingRules: ["words"] });
  assert.deepEqual(idsOf(ask(view, { q: "kind wolf old " })), [3, 0, 1]);
  assert.deepEqual(scoresOf(ask(view, { q: "kind wolf old " })), [1, 0.666667, 0.333333]);
  assert.deepEqual(idsOf(ask(view, { q: "kind wolf old ", matchingStrategy: "all" })), [3]);
});

test("frequency: the most frequent words are given up first", () => {
  const view = texts(["red apple", "red pear", "red plum", "red fig", "fig apple"], { rankingRules: ["words"] });
  assert.deepEqual(idsOf(ask(view, { q: "red fig ", matchingStrategy: "frequency" })), [3, 4]);
});

test("typo: fewer typos first; a wrong first letter counts double; joined words count as typos", () => {
  const view = texts(["wunderlist", "wonderlist", "wonderlast", "vonderlist"], { rankingRules: ["typo"] });
  assert.deepEqual(idsOf(ask(view, { q: "wonderlist " })), [1, 0, 2, 3]);
  const joined = texts(["garden house", "gardenhouse"], { rankingRules: ["typo"] });
  assert.deepEqual(scoresOf(ask(joined, { q: "garden house " })), [1, 0.75]);
  assert.deepEqual(idsOf(ask(joined, { q: "gardenhouse " })), [1, 0]);
});

test("typos are not tolerated in short words, listed words and listed attributes", () => {
  const typoTolerance = { disableOnWords: ["winter"], disableOnAttributes: ["code"] };
  const settings = { searchableAttributes: ["text", "code"], typoTolerance };
  const view = viewOf(settings, [rows([{ text: "cat wintre summer" }, { code: "autumn" }])]);
  for (const [q, found] of [
    ["cut ", []],
    ["winter ", []],
    ["sumner ", [0]],
    ["autums ", []],
    ["autumn ", [1]],
  ] as const) {
    assert.deepEqual(idsOf(ask(view, { q })), found, q);
  }
});

test("proximity: near words first, reversed order costs one step", () => {
  const list = ["blue. ship", "blue one two ship", "ship blue", "blue ship", "blue one ship"];
  const view = texts(list, { rankingRules: ["proximity"] });
  const found = ask(view, { q: "blue ship ", matchingStrategy: "all" });
  assert.deepEqual(idsOf(found), [3, 2, 4, 1, 0]);
  assert.deepEqual(scoresOf(found), [1, 0.75, 0.75, 0.5, 0.25]);
});

test("attribute: important fields first, then words that stand where the query has them", () => {
  const docs = [{ body: "moon" }, { title: "a b c moon" }, { title: "moon" }, { title: "x", body: "y moon" }];
  const view = viewOf({ searchableAttributes: ["title", "body"], rankingRules: ["attribute"] }, [rows(docs)]);
  assert.deepEqual(idsOf(ask(view, { q: "moon " })), [2, 1, 0, 3]);
  const split = { searchableAttributes: ["title", "body"], rankingRules: ["wordPosition", "attributeRank"] };
  assert.deepEqual(idsOf(ask(viewOf(split, [rows(docs)]), { q: "moon " })), [2, 0, 3, 1]);
});

test("exactness: whole field, beginning of a field, exact words", () => {
  const list = ["red foxes", "the red fox", "red fox jumps", "red fox"];
  const view = texts(list, { rankingRules: ["exactness"] });
  const kinds = ask(view, { q: "red fox" }).hits.map(({ details: ranks }) => {
    return (detailsView(ranks, () => true)["exactness"] as JsonObject)["matchType"];
  });
  assert.deepEqual(idsOf(ask(view, { q: "red fox" })), [3, 2, 1, 0]);
  assert.deepEqual(kinds, ["exactMatch", "matchesStart", "noExactMatch", "noExactMatch"]);
});

test("phrases, negatives, synonyms, prefixes and stop words", () => {
  const list = ["green big apple", "big green apple", "apple pie", "big pineapple"];
  const view = texts(list, { synonyms: { fruit: ["big green"] }, stopWords: ["the"] });
  assert.deepEqual(idsOf(ask(view, { q: '"green apple"' })), [1]);
  assert.deepEqual(idsOf(ask(view, { q: "apple -big " })), [2]);
  assert.deepEqual(idsOf(ask(view, { q: 'apple -"big apple"' })), [2, 1]);
  assert.deepEqual(idsOf(ask(view, { q: "fruit " })), [1]);
  assert.deepEqual(idsOf(ask(view, { q: "appl" })), [2, 0, 1]);
  assert.deepEqual(idsOf(ask(view, { q: "appl " })), []);
  assert.deepEqual(idsOf(ask(view, { q: "pine apple" })), [3]);
  assert.deepEqual(idsOf(ask(view, { q: "-big" })), [2]);
});

test("sort: numbers, strings, none; ties go on to the next rule and end with insertion order", () => {
  const docs = [{ price: "b" }, { price: 3 }, {}, { price: [1, 9] }, { price: "a" }, { price: 3 }];
  const settings = { rankingRules: DEFAULT_RULES, sortableAttributes: ["price"] };
  const view = viewOf(settings, [rows(docs)]);
  assert.deepEqual(idsOf(ask(view, { sort: ["price:asc"] })), [3, 1, 5, 4, 0, 2]);
  assert.deepEqual(idsOf(ask(view, { sort: ["price:desc"] })), [3, 1, 5, 0, 4, 2]);
  const custom = viewOf({ rankingRules: ["price:desc"] }, [rows(docs)]);
  assert.deepEqual(idsOf(ask(custom, {})), [3, 1, 5, 0, 4, 2]);
});

test("geo: nearest or farthest first, documents without a place last", () => {
  const docs = [{ _geo: { lat: 10, lng: 10 } }, {}, { _geo: { lat: 1, lng: 1 } }, { _geo: { lat: "5", lng: "5" } }];
  const view = viewOf({ rankingRules: DEFAULT_RULES, sortableAttributes: ["_geo"] }, [rows(docs)]);
  assert.deepEqual(idsOf(ask(view, { sort: ["_geoPoint(0, 0):asc"] })), [2, 3, 0, 1]);
  const far = ask(view, { sort: ["_geoPoint(0, 0):desc"] });
  assert.deepEqual(idsOf(far), [0, 3, 2, 1]);
  const shown = detailsView(far.hits[2]!.details, () => true);
  assert.deepEqual(shown, { "_geoPoint(0:0):desc": { order: 0, value: { lat: 1, lng: 1 }, distance: 157_249 } });
});

test("distinct: one document per value; a page counts exactly, a limit what was met", () => {
  const docs = [1, 1, 2, 2, 3, null, null].map((model) => ({ model, text: "shoe" }));
  const view = viewOf({ distinctAttribute: "model", filterableAttributes: ["text"] }, [rows(docs)]);
  assert.deepEqual(idsOf(ask(view, { q: "shoe" })), [0, 2, 4, 5, 6]);
  assert.equal(ask(view, { limit: 1 }).total, 6);
  assert.equal(ask(view, { limit: 1, exhaustive: true }).total, 5);
  assert.deepEqual(idsOf(ask(view, { distinct: "text" })), [0]);
});

test("threshold: worse documents are neither shown nor counted", () => {
  const view = texts(["bright star", "bright", "star bright"]);
  const found = ask(view, { q: "bright star ", rankingScoreThreshold: 0.6 });
  assert.deepEqual(idsOf(found), [0, 2]);
  assert.equal(found.total, 2);
});

test("attributesToSearchOn limits where words are found", () => {
  const docs = [
    { title: "moon", body: "sun" },
    { title: "sun", body: "moon" },
  ];
  const view = viewOf({ searchableAttributes: ["title", "body"] }, [rows(docs)]);
  assert.deepEqual(idsOf(ask(view, { q: "moon", attributesToSearchOn: ["body"] })), [1]);
  assert.deepEqual(idsOf(ask(view, { q: "moon", attributesToSearchOn: ["*"] })), [0, 1]);
});

test("attributesToSearchOn names fields, not what is below them, unless by a pattern", () => {
  const docs = [{ title: "sun", crew: { name: "moon", role: "star" } }, { title: "moon" }];
  const on = (attributes: string[], searchableAttributes: string[]) => {
    const view = viewOf({ searchableAttributes }, [rows(docs)]);
    try {
      return idsOf(ask(view, { q: "moon", attributesToSearchOn: attributes })).sort();
    } catch (problem) {
      return (problem as ApiError).code;
    }
  };
  const refused = "invalid_search_attributes_to_search_on";
  for (const searchable of [["*"], ["title", "crew"]]) {
    assert.deepEqual(on(["crew"], searchable), []);
    assert.deepEqual(on(["crew.name"], searchable), [0]);
    assert.deepEqual(on(["crew.*"], searchable), [0]);
    assert.deepEqual(on(["*e"], searchable), [0, 1]);
  }
  assert.deepEqual(on(["nothing", "no.*"], ["*"]), []);
  assert.deepEqual(on(["nothing"], ["title", "nothing"]), []);
  assert.equal(on(["crew.pay"], ["title", "crew"]), refused);
  assert.equal(on(["pay*"], ["title", "crew"]), refused);
  assert.equal(on(["crew"], ["title", "crew.name"]), refused);
  assert.equal(on(["*", "pay"], ["title"]), refused);
});

test("what cannot be asked is refused with its code", () => {
  const view = viewOf({ searchableAttributes: ["title"], sortableAttributes: ["price"], rankingRules: ["words"] }, [
    rows([{ title: "x", price: 1 }]),
  ]);
  const refused = (request: Parameters<typeof ask>[1]): string => {
    try {
      ask(view, request);
    } catch (problem) {
      return (problem as ApiError).code;
    }
    return "accepted";
  };
  assert.equal(refused({ sort: ["price:asc"] }), "invalid_search_sort");
  assert.equal(refused({ sort: ["title:asc"] }), "invalid_search_sort");
  assert.equal(refused({ distinct: "price" }), "invalid_search_distinct");
  assert.equal(refused({ attributesToSearchOn: ["price"] }), "invalid_search_attributes_to_search_on");
});

test("scores fall back on later rules only for what earlier ones left equal", () => {
  const view = texts(["quick brown", "brown quick", "quick"], { rankingRules: DEFAULT_RULES });
  assert.deepEqual(details(view, "quick brown "), {
    words: { order: 0, matchingWords: 2, maxMatchingWords: 2, score: 1 },
    typo: { order: 1, typoCount: 0, maxTypoCount: 2, score: 1 },
    proximity: { order: 2, score: 1 },
    attribute: { order: 3, attributeRankingOrderScore: 1, queryWordDistanceScore: 1, score: 1 },
    exactness: { order: 4, matchType: "exactMatch", score: 1 },
  });
  const [first, second, third] = scoresOf(ask(view, { q: "quick brown " }));
  assert.equal(first, 1);
  assert.ok(second! < 1 && second! > 0.5);
  assert.equal(third, 0.5);
});
