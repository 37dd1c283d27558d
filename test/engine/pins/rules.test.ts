import assert from "node:assert/strict";
import test from "node:test";
import type { RuleConditions } from "../../../src/base/contract/search-rules.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { type PinnedSearch, pinningRules, pinsFor } from "../../../src/engine/pins/rules.ts";

const NOW = Date.parse("2030-06-15T12:00:00Z") * 1000;

function rule(uid: string, conditions: RuleConditions, changes: JsonObject = {}): JsonObject {
  return { uid, active: true, conditions: conditions as JsonObject, actions: [pin(uid, 0)], ...changes };
}

function pin(id: string, position: number, indexUid?: string): JsonObject {
  const selector: JsonObject = indexUid === undefined ? { id } : { id, indexUid };
  return { selector, action: { type: "pin", position } };
}

function pinned(rules: JsonObject[], search: Partial<PinnedSearch> = {}): string[] {
  const asked = { indexUid: "films", q: null, filter: null, ...search };
  return pinsFor(pinningRules(rules), asked, NOW).map(({ id, position }) => `${id}@${position}`);
}

test("a rule without conditions always applies, an inactive one never", () => {
  assert.deepEqual(pinned([rule("a", {}), rule("b", {}, { active: false })]), ["a@0"]);
});

test("a rule applies from its start to its end", () => {
  const open = [
    rule("a", { time: { start: "2030-06-15T12:00:00Z" } }),
    rule("b", { time: { end: "2030-06-16T00:00:00Z" } }),
  ];
  assert.deepEqual(pinned(open), ["a@0", "b@0"]);
  const shut = [
    rule("a", { time: { start: "2030-06-15T12:00:01Z" } }),
    rule("b", { time: { end: "2030-06-15T11:59:59Z" } }),
  ];
  assert.deepEqual(pinned(shut), []);
});

test("a rule may ask for a query or for none", () => {
  const rules = [rule("empty", { query: { isEmpty: true } }), rule("full", { query: { isEmpty: false } })];
  assert.deepEqual(pinned(rules), ["empty@0"]);
  assert.deepEqual(pinned(rules, { q: "  " }), ["empty@0"]);
  assert.deepEqual(pinned(rules, { q: "x" }), ["full@0"]);
});

test("all words of a rule must be in the query, in any order and spelling", () => {
  const rules = [rule("a", { query: { words: "Mario Luigi" } })];
  assert.deepEqual(pinned(rules, { q: "LUIGI and mário" }), ["a@0"]);
  for (const q of ["mario", "mario mario", "mario -luigi", 'mario -"and luigi"', null]) {
    assert.deepEqual(pinned(rules, { q }), [], String(q));
  }
});

test("only the first ten words of a query count", () => {
  const rules = [rule("a", { query: { words: "last" } })];
  assert.deepEqual(pinned(rules, { q: "1 2 3 4 5 6 7 8 9 last" }), ["a@0"]);
  assert.deepEqual(pinned(rules, { q: "1 2 3 4 5 6 7 8 9 10 last" }), []);
});

test("one way to pass the filter must demand all values of a rule", () => {
  const rules = [rule("a", { filter: { values: { color: "red", kind: "shirt" } } })];
  assert.deepEqual(pinned(rules, { filter: "(kind = Shirt AND color = red) OR kind = jeans" }), ["a@0"]);
  for (const filter of ["kind = shirt OR color = red", "kind = shirt", "NOT (kind = shirt AND color = red)", null]) {
    assert.deepEqual(pinned(rules, { filter }), [], String(filter));
  }
});

test("values of a rule may be numbers, truths, lists and nested; null is never demanded", () => {
  const values = { size: 3, sold: false, tags: ["x", "y"], maker: { name: "Ann" } };
  const rules = [rule("a", { filter: { values } }), rule("b", { filter: { values: { size: null } } })];
  const filter = ["size = 3.0", "sold = false", "tags = x", "tags = y", 'maker.name = "ann"', "size EXISTS"];
  assert.deepEqual(pinned(rules, { filter }), ["a@0"]);
});

test("a filter that cannot be read fulfils no demand", () => {
  const rules = [rule("a", { filter: { values: { size: 3 } } }), rule("b", {})];
  assert.deepEqual(pinned(rules, { filter: "size = " }), ["b@0"]);
});

test("all conditions must hold", () => {
  const rules = [rule("a", { query: { words: "shirt" }, filter: { values: { size: 3 } } })];
  assert.deepEqual(pinned(rules, { q: "shirt", filter: "size = 3" }), ["a@0"]);
  assert.deepEqual(pinned(rules, { q: "shirt" }), []);
  assert.deepEqual(pinned(rules, { filter: "size = 3" }), []);
});

test("of rules that pin the same document the one with the lowest precedence wins", () => {
  const at = (position: number, changes: JsonObject) => ({ actions: [pin("x", position)], ...changes });
  const rules = [
    rule("a", {}, at(1, {})),
    rule("b", {}, at(2, { precedence: 7 })),
    rule("c", {}, at(3, { precedence: 2 })),
  ];
  assert.deepEqual(pinned(rules), ["x@3"]);
  assert.deepEqual(pinned(rules.slice(0, 2)), ["x@2"]);
});

test("a stored rule that cannot be read pins nothing", () => {
  assert.deepEqual(pinned([{ uid: "a", active: true }, rule("b", {}, { actions: "none" }), rule("c", {})]), ["c@0"]);
});

test("a pin for another index is passed over", () => {
  const actions = [pin("x", 0, "books"), pin("y", 1, "films"), pin("z", 2)];
  assert.deepEqual(pinned([rule("a", {}, { actions })]), ["y@1", "z@2"]);
});
