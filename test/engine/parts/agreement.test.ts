/** What parts have to tell each other, each case where one that knew only itself would be wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/base/json/value.ts";
import type { KeywordRequest } from "../../../src/engine/rank/request.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { ask, viewOf } from "../rank/support.ts";
import { assertSame, partsOf, questionsTo } from "./support.ts";

const DOCIDS_TRIED = 500;

/** Documents by the part they are to be in, of two. */
function divided(settings: JsonObject, parts: readonly (readonly JsonObject[])[]): IndexView {
  const left = parts.map((docs) => [...docs]);
  const rows = [];
  const probe = viewOf({}, [
    Array.from({ length: DOCIDS_TRIED }, (_, docid) => ({ docid, id: String(docid), doc: { id: docid } })),
  ]);
  const inFirst = partsOf(probe, 2)[0]!.segments[0]!.live;
  for (let docid = 0; docid < DOCIDS_TRIED; docid++) {
    const doc = left[inFirst.has(docid) ? 0 : 1]!.shift();
    if (doc !== undefined) rows.push({ docid, id: String(docid), doc: { id: docid, ...doc } });
  }
  assert.ok(left.every((docs) => docs.length === 0));
  return viewOf({ searchableAttributes: ["text"], filterableAttributes: ["tags", "price", "kind"], ...settings }, [
    rows,
  ]);
}

function texts(...list: string[]): JsonObject[] {
  return list.map((text) => ({ text }));
}

/** In parts like the whole, of which one part knows too little. */
function assertAgreed(view: IndexView, asked: Partial<KeywordRequest>): void {
  assertSame(view, asked, [2]);
}

test("which ways to read the query some document has chosen", () => {
  const view = divided({ rankingRules: ["words", "proximity"] }, [texts("sun flower"), texts("sunflower")]);
  assertAgreed(view, { q: "sun flower" });
});

test("how many documents have a word that may be given up", () => {
  const view = divided({}, [texts("fox", "hen", "hen"), texts("fox", "fox")]);
  assert.equal(ask(view, { q: "fox hen", matchingStrategy: "frequency" }).total, 2);
  assertAgreed(view, { q: "fox hen", matchingStrategy: "frequency" });
});

test("that a page which each part's own counts filled has room again", () => {
  const view = divided({}, [texts("hen cow", "hen cow", "hen cow"), texts("fox")]);
  const asked = { q: "hen cow fox", matchingStrategy: "frequency" as const, limit: 3 };
  assert.equal(ask(view, asked).hits.length, 1);
  assertAgreed(view, asked);
});

test("whether some document holds a phrase before a common prefix", () => {
  const letters = Array.from("abcdefghijk");
  const many = letters.flatMap((first) => letters.map((second) => `ba${first}${second}`)).join(" ");
  const settings = { rankingRules: ["words", "proximity"], synonyms: { ny: ["new york"] } };
  const view = divided(settings, [texts("new york baaa", many), texts("ny york baaa")]);
  assertAgreed(view, { q: "ny ba" });
});

test("where the search ends, beyond which nothing is below a threshold", () => {
  const view = divided({}, [texts("red fox"), texts("red and then a fox")]);
  const asked = { q: "red fox", limit: 1, rankingScoreThreshold: 0.99 };
  assert.equal(ask(view, asked).total, 2);
  assertAgreed(view, asked);
});

test("what was shown elsewhere, before and after", () => {
  const settings = { rankingRules: ["words", "proximity"] };
  const view = divided(settings, [
    [
      { text: "red fox", kind: ["a", "b"] },
      { text: "red and fox", kind: "c" },
    ],
    [
      { text: "red fox red fox", kind: "d" },
      { text: "red big fox", kind: ["b", "c"] },
      { text: "red old and fox", kind: "a" },
    ],
  ]);
  for (const limit of [1, 2, 20]) {
    for (const exhaustive of [false, true]) assertAgreed(view, { q: "red fox", distinct: "kind", limit, exhaustive });
  }
});

test("that a document is the only one left, of which nobody wants to know more", () => {
  const settings = {
    searchableAttributes: ["*"],
    sortableAttributes: ["price"],
    rankingRules: ["sort", "exactness", "typo"],
  };
  const view = divided(settings, [texts("foxes", "light"), texts("")]);
  for (const wantDetails of [false, true])
    assertAgreed(view, { q: "feoxes lights ", sort: ["price:desc"], wantDetails });
});

test("nothing where each part has the say over its own documents", () => {
  const view = divided({}, [texts("red fox", "red hen"), texts("fox", "fox and hen")]);
  // Of the first bucket of words, which has all of them, the second part has no documents.
  assertAgreed(view, { q: "red fox" });
  assert.deepEqual(questionsTo(view, 2, { q: "red fox" }), ["words", "rank"]);
});

test("how often joined words stand together, where there is another cut", () => {
  const view = divided({}, [texts("sunf lower", "sun flower"), texts("sun flower", "sun flower")]);
  const asked = { q: "sun flower" };
  assertAgreed(view, asked);
  assert.deepEqual(questionsTo(view, 2, asked), ["words", "words", "rank"]);
  const without = divided({}, [texts("sun flower"), texts("sun flower", "sun")]);
  assert.deepEqual(questionsTo(without, 2, asked), ["words", "rank"]);
});

test("where the last completion is that counts, whether or not somebody wants to know them", () => {
  const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
  const many = letters.flatMap((a) => letters.flatMap((b) => ["x", "y"].map((c) => `prefix${a}${b}${c}`)));
  const halves = [0, 1].map((half) => many.filter((_, i) => i % 2 === half));
  const view = divided({ prefixSearch: "indexingTime" }, [
    texts(halves[0]!.join(" "), "prefixzzz", "prefixaaa"),
    texts(halves[1]!.join(" "), "prefixzzy", "prefixaab"),
  ]);
  for (const wantMatches of [true, false]) {
    for (const q of ["prefix", "prefixa"]) assertAgreed(view, { q, wantMatches });
  }
  assert.equal(ask(view, { q: "prefix" }).total, 4);
  assert.deepEqual(questionsTo(view, 2, { q: "prefix", wantMatches: false }), ["words", "words", "rank"]);
  assert.deepEqual(questionsTo(view, 2, { q: "prefixa", wantMatches: false }), ["words", "rank"]);
});

test("words that only some parts have, and limits on how many count", () => {
  const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
  const near = letters.flatMap((first) => letters.map((second) => `${first}ouse${second}`));
  const view = divided({}, [texts(near.slice(0, 300).join(" "), "mouse"), texts(near.slice(300).join(" "), "mo use")]);
  for (const q of ["mouse", "mousee", "mous", "house", "mo use", "ouseb"]) assertAgreed(view, { q });
});
