import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { parseFilter } from "../../../src/engine/filter/parse.ts";
import { branchesOf, demandOf } from "../../../src/engine/pins/branches.ts";

function branches(filter: string | (string | string[])[]): string[][] {
  const parsed = parseFilter(filter);
  assert.ok(parsed !== null);
  return branchesOf(parsed).map((branch) => [...branch].sort());
}

test("every way to pass a filter demands its own values", () => {
  assert.deepEqual(branches("(kind = shirt AND color = red) OR (kind = jeans AND color = blue)"), [
    ['color="red"', 'kind="shirt"'],
    ['color="blue"', 'kind="jeans"'],
  ]);
  assert.deepEqual(branches(["kind = shirt", ["color = red", "color = blue"]]), [
    ['color="red"', 'kind="shirt"'],
    ['color="blue"', 'kind="shirt"'],
  ]);
  assert.deepEqual(branches("size IN [1, 2]"), [["size=1"], ["size=2"]]);
});

test("what is no equality demands nothing", () => {
  assert.deepEqual(branches("price > 3 AND NOT kind = shirt AND color = red AND size != 3"), [['color="red"']]);
  assert.deepEqual(branches("price > 3 OR kind = shirt"), [[], ['kind="shirt"']]);
  assert.deepEqual(branches("kind IN [] AND color EXISTS"), [[]]);
});

test("values are the same however they are spelled", () => {
  assert.equal(demandOf("size", "3.0"), demandOf("size", "3"));
  assert.equal(demandOf("kind", " Shirt "), demandOf("kind", "shirt"));
  assert.notEqual(demandOf("kind", "shirt"), demandOf("kind", "shirts"));
});

test("a filter with very many ways is looked at in part", () => {
  const alternatives = (field: string, count: number) => Array.from({ length: count }, (_, i) => `${field} = v${i}`);
  const huge = Array.from({ length: 60 }, (_, i) => alternatives(`f${i}`, 90));
  const found = branches(huge);
  assert.ok(found.length <= 4096);
  assert.ok(found.every((branch) => branch.some((each) => each.startsWith("f0="))));
  const deep = `${"(".repeat(30)}kind = shirt${" AND a = 1) OR b = 2".repeat(30)}`;
  assert.ok(branches(deep).some((branch) => branch.includes("b=2")));
});

test("a conjunction of equalities has one way, which demands them all", () => {
  const equality = fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(fc.array(equality, { minLength: 1, maxLength: 20 }), (pairs) => {
      const expected = new Set(pairs.map(([field, value]) => `${field}=${value}`));
      assert.deepEqual(branches(pairs.map(([field, value]) => `${field} = ${value}`)), [[...expected].sort()]);
    }),
  );
});
