/** Which way is taken, and where cells and graphs are worth building: the order of costs, not the costs themselves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  candidateBudget,
  isWorthCells,
  isWorthGraph,
  quickestWay,
  type SearchSize,
  sketchedCount,
} from "../../../src/engine/vector/cost-model.ts";

const MANY = 100_000;
const VERY_MANY = 4_000_000;
const task: SearchSize = {
  vectors: MANY,
  allowed: MANY,
  codeBytes: 384,
  places: 96,
  cells: 792,
  hasGraph: false,
  wanted: 10,
};

test("many are looked at in cells, few that may be found are compared at once", () => {
  assert.equal(quickestWay(task), "sketches");
  assert.equal(quickestWay({ ...task, allowed: MANY / 2 }), "sketches");
  assert.equal(quickestWay({ ...task, allowed: MANY / 1000 }), "scan");
  assert.equal(quickestWay({ ...task, vectors: 1000, allowed: 1000 }), "scan");
  assert.equal(quickestWay({ ...task, places: null, cells: null }), "scan");
});

test("very many are walked through where there is a graph, unless a filter leaves few", () => {
  const large = { ...task, vectors: VERY_MANY, allowed: VERY_MANY, cells: 5000 };
  assert.equal(quickestWay({ ...large, hasGraph: true }), "walk");
  assert.equal(quickestWay(large), "sketches");
  assert.equal(quickestWay({ ...large, hasGraph: true, allowed: VERY_MANY / 10 }), "sketches");
  assert.equal(quickestWay({ ...large, hasGraph: true, allowed: 1000 }), "scan");
});

for (const [codeBytes, places] of [
  [112, 52],
  [384, 96],
  [768, 192],
] as const) {
  test(`vectors of ${codeBytes} bytes get cells when they are many, and a graph when they are very many`, () => {
    assert.deepEqual(
      [1000, MANY, VERY_MANY].map((count) => isWorthCells(count, codeBytes, places)),
      [false, true, true],
    );
    assert.deepEqual(
      [1000, MANY, VERY_MANY].map((count) => isWorthGraph(count, codeBytes, places)),
      [false, false, true],
    );
  });
}

test("no more is looked at or compared than there is, and more for more", () => {
  for (const allowed of [1, 50, 5000]) assert.ok(candidateBudget({ ...task, allowed, wanted: 1000 }).most <= allowed);
  assert.deepEqual(candidateBudget({ ...task, cells: null }), { least: MANY, most: MANY });
  const { least, most } = candidateBudget(task);
  assert.ok(least < most && most < MANY);
  assert.ok(candidateBudget({ ...task, wanted: 100 }).most > most);
  assert.ok(sketchedCount({ ...task, wanted: 100 }) > sketchedCount(task));
  assert.ok(sketchedCount({ ...task, cells: null }) > sketchedCount(task));
});
