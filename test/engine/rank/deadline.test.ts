/** A search that runs out of time answers with what it has, in an order that is as good as time allowed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Deadline } from "../../../src/engine/query/deadline.ts";
import { ask, idsOf, scoresOf, texts } from "./support.ts";

const TEXTS = ["tea cup", "cup", "tea cups", "tea", "coffee"];

/** A clock whose time is up at the n-th look. */
function clockFor(looks: number): Deadline {
  let looked = 0;
  return new Deadline(1, () => (looked++ < looks ? 0 : 1));
}

test("without any time everything that matches comes in insertion order", () => {
  const view = texts(TEXTS, { rankingRules: ["words", "typo"] });
  const found = ask(view, { q: "tea cup " }, clockFor(0));
  assert.deepEqual(idsOf(found), [0, 2, 3]);
  assert.deepEqual(scoresOf(found), [0, 0, 0]);
  assert.equal(found.degraded, true);
  assert.equal(found.total, 3);
});

test("what was sorted before time was up stays in front", () => {
  const view = texts(["tea cupp", "tea", "tea cup", "tea cup x"], {
    rankingRules: ["words", "typo"],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 9 } },
  });
  assert.deepEqual(idsOf(ask(view, { q: "tea cup " })), [2, 3, 0, 1]);
  const found = ask(view, { q: "tea cup " }, clockFor(2));
  assert.deepEqual(idsOf(found), [2, 3, 0, 1]);
  assert.deepEqual(
    found.hits.map(({ details }) => details.map(({ kind }) => kind)),
    [["words", "typo"], ["words", "typo"], ["words", "skipped"], ["skipped"]],
  );
  assert.equal(ask(view, { q: "tea cup " }).degraded, false);
});
