import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { compareElements, type Element, elementsOf } from "../../../src/engine/rank/elements.ts";
import type { RankDetail } from "../../../src/engine/rank/result.ts";

const score = (value: number): Element => ({ kind: "score", score: value });
const sort = (value: number | string | null, descending = false): Element => ({ kind: "sort", descending, value });
const geo = (distance: number | null, descending = false): Element => ({ kind: "geo", descending, distance });

function order(left: Element[], right: Element[], leftGlobal = 0, rightGlobal = 0): number {
  return Math.sign(compareElements(left, right, leftGlobal, rightGlobal));
}

test("neighbouring rules of relevancy are one score, sorts stand between them", () => {
  const details: RankDetail[] = [
    { kind: "words", matching: 1, max: 2 },
    { kind: "typo", typos: 0, max: 1 },
    { kind: "sort", field: "price", descending: false, value: 12 },
    { kind: "exactAttribute", rank: 3 },
  ];
  // words 1 of 2 and typo 2 of 2: (1 - 1) * 2 + 2 of 4
  assert.deepEqual(elementsOf(details, 1), [score(0.5), sort(12), score(1)]);
  assert.deepEqual(elementsOf(details, 0.5), [score(0.25), sort(12), score(0.5)]);
  assert.deepEqual(elementsOf([], 3), []);
});

test("the better score goes first, equal ones leave it to what follows", () => {
  assert.equal(order([score(0.9)], [score(0.8)]), 1);
  assert.equal(order([score(0.9), sort(1)], [score(0.9 + Number.EPSILON / 2), sort(2)]), 1);
  assert.equal(order([score(0.9)], [score(0.9)]), 0);
});

test("numbers go before strings and strings before nothing, in both directions", () => {
  for (const descending of [false, true]) {
    assert.equal(order([sort(1e9, descending)], [sort("a", descending)]), 1);
    assert.equal(order([sort("z", descending)], [sort(null, descending)]), 1);
    assert.equal(order([geo(5, descending)], [geo(null, descending)]), 1);
  }
  assert.equal(order([sort(1)], [sort(2)]), 1);
  assert.equal(order([sort(1, true)], [sort(2, true)]), -1);
  assert.equal(order([sort("a")], [sort("b")]), 1);
  assert.equal(order([sort("\u{ffff}")], [sort("\u{1f600}")]), 1);
  assert.equal(order([geo(10)], [geo(20)]), 1);
  assert.equal(order([geo(10, true)], [geo(20, true)]), -1);
});

test("what cannot be compared is decided by how much there is to say, then by the global score", () => {
  assert.equal(order([score(0.1), sort(1)], [sort(1)], 0.1, 0.9), 1);
  assert.equal(order([score(0.1)], [sort(1)], 0.1, 0.9), -1);
  assert.equal(order([score(0.5)], [score(0.5), sort(1)]), -1);
});

const element = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map(score),
  fc.oneof(fc.integer(), fc.string(), fc.constant(null)).map((value) => sort(value)),
);

test("turning a comparison around turns its result around", () => {
  fc.assert(
    fc.property(fc.array(element), fc.array(element), (left, right) => {
      assert.equal(order(left, right, 0.3, 0.7), -order(right, left, 0.7, 0.3) + 0);
    }),
  );
});
