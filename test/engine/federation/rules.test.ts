import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { CommonRules, rankedBy } from "../../../src/engine/federation/rules.ts";

const DEFAULT = { rankingRules: ["words", "typo", "proximity", "attribute", "sort", "exactness"] };

function comparable(...queries: { q: string | null; sort: string[] | null; rules?: string[] }[]): boolean {
  const ranked = queries.map(({ q, sort, rules }, i) =>
    rankedBy(i, `index-${i}`, { q, sort }, rules === undefined ? DEFAULT : { rankingRules: rules }),
  );
  try {
    const rules = new CommonRules();
    for (const each of ranked) rules.add(each);
    return true;
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === "invalid_multi_search_query_ranking_rules");
    return false;
  }
}

test("rules of relevancy go together, however many and in whatever order", () => {
  assert.ok(comparable({ q: "a", sort: null }, { q: "b", sort: null, rules: ["exactness", "words"] }));
});

test("sorts go together in one direction only, whatever they sort by", () => {
  assert.ok(comparable({ q: "", sort: ["a:asc"] }, { q: "", sort: ["b:asc"] }));
  assert.ok(!comparable({ q: "", sort: ["a:asc"] }, { q: "", sort: ["a:desc"] }));
  assert.ok(!comparable({ q: "a", sort: ["a:asc"] }, { q: "b", sort: ["a:desc"] }));
  assert.ok(!comparable({ q: "", sort: ["a:asc"] }, { q: "", sort: ["_geoPoint(1, 2):asc"] }));
  assert.ok(!comparable({ q: "", sort: null }, { q: "", sort: ["a:asc"] }, { q: "", sort: ["a:desc"] }));
});

test("a placeholder search has no relevancy", () => {
  assert.ok(!comparable({ q: "a", sort: ["a:asc"] }, { q: "", sort: ["a:asc"] }));
  assert.ok(comparable({ q: "a", sort: null }, { q: null, sort: null }));
});

test("one of blanks goes with words", () => {
  assert.ok(comparable({ q: "a", sort: ["a:asc"] }, { q: "  ", sort: ["a:asc"] }));
  assert.ok(!comparable({ q: "", sort: ["a:asc"] }, { q: "  ", sort: ["a:asc"] }));
});

test("custom rules count like sorts, and an attribute counts once", () => {
  const rules = ["words", "price:desc", "sort"];
  assert.ok(comparable({ q: "a", sort: ["b:asc"], rules }, { q: "a", sort: ["price:asc", "b:asc"], rules }));
  assert.ok(!comparable({ q: "a", sort: null, rules }, { q: "a", sort: null, rules: ["words", "price:asc"] }));
});
