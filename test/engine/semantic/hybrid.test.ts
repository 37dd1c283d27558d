/** Words and meaning together, and documents like another one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/base/json/value.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import { type HybridRequest, rankHybrid, semanticHits } from "../../../src/engine/semantic/search.ts";
import { findSimilar } from "../../../src/engine/semantic/similar.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { BLANK, idsOf, rows, scoresOf, viewOf } from "../rank/support.ts";
import { EMBEDDERS, withVectors } from "../vector/support.ts";

const DOCS = [
  withVectors([0, 0, 0, 0, 1], { text: "red fox", kind: "a" }),
  withVectors([1, 0, 0, 0, 0], { text: "blue whale", kind: "b" }),
  withVectors([1, 1, 0, 0, 0], { text: "fox", kind: "b" }),
  withVectors(null, { text: "quiet house", kind: "c" }),
];

function indexOf(settings: JsonObject = {}): IndexView {
  return viewOf({ embedders: EMBEDDERS, searchableAttributes: ["text"], ...settings }, [rows(DOCS)]);
}

function hybrid(view: IndexView, request: Partial<HybridRequest>): RankResult {
  const live = view.segments.map((segment) => segment.live);
  return rankHybrid(view, live, {
    ...BLANK,
    q: "fox",
    wantDetails: false,
    embedder: "plain",
    semanticRatio: 0.5,
    target: [1, 0, 0, 0, 0],
    ...request,
  });
}

test("a hybrid search takes the better head of two lists, each document once", () => {
  const result = hybrid(indexOf(), {});
  assert.deepEqual(idsOf(result), [1, 2, 0, 3]);
  assert.equal(scoresOf(result)[0], 1);
  assert.equal(result.total, 4);
  assert.notEqual(result.query, null);
  assert.equal(semanticHits(result.hits), 2);
  assert.deepEqual(idsOf(hybrid(indexOf(), { semanticRatio: 0.01 })).slice(0, 2), [2, 0]);
});

test("good results by words need no meaning", () => {
  const result = hybrid(indexOf(), { limit: 2, semanticRatio: 0.2 });
  assert.deepEqual(idsOf(result), [2, 0]);
  assert.equal(semanticHits(result.hits), 0);
  assert.equal(semanticHits(hybrid(indexOf(), { limit: 2, semanticRatio: 0.7 }).hits), 2);
});

test("a query that has no vector goes on with its words", () => {
  const result = hybrid(indexOf(), { target: null, semanticRatio: 0.99 });
  assert.deepEqual(idsOf(result), [2, 0]);
  assert.equal(result.total, 2);
});

test("excluded words leave both lists", () => {
  const result = hybrid(indexOf(), { q: "fox -whale", semanticRatio: 0.9 });
  assert.deepEqual(idsOf(result).includes(1), false);
  assert.equal(result.total, 3);
});

test("no two hits share a distinct value, whichever list they come from", () => {
  const view = indexOf({ filterableAttributes: ["kind"], distinctAttribute: "kind" });
  const result = hybrid(view, { semanticRatio: 0.5 });
  assert.deepEqual(idsOf(result), [1, 0, 3]);
  assert.equal(result.total, 3);
});

// The interface, _vectors: `embeddings` is "an array of numbers (one embedding) or array of arrays of numbers (several)"
test("similar documents are those with a vector near any of the document's own", () => {
  const view = viewOf({ embedders: EMBEDDERS }, [
    rows([
      withVectors([
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
      ]),
      withVectors([0, 1, 0, 0, 0]),
      withVectors([1, 1, 0, 0, 0]),
      withVectors([
        [-1, 0, 0, 0, 0],
        [0, 2, 0, 0, 0],
      ]),
      withVectors(null),
    ]),
  ]);
  const universe = view.segments.map(({ live }) => live.copy());
  universe[0]!.clear(0);
  const request = { embedder: "plain", offset: 0, limit: 10, rankingScoreThreshold: null };
  const find = (change: object) => findSimilar(view, { segment: 0, row: 0 }, universe, { ...request, ...change });
  const all = find({});
  assert.deepEqual(
    all.hits.map(({ docid }) => docid),
    [1, 3, 2],
  );
  assert.equal(all.candidates, 4);
  assert.deepEqual(
    find({ offset: 1, limit: 1 }).hits.map(({ docid }) => docid),
    [3],
  );
  assert.deepEqual(find({ rankingScoreThreshold: 0.9 }), { hits: all.hits.slice(0, 2), candidates: 2 });
  assert.deepEqual(findSimilar(view, { segment: 0, row: 4 }, universe, request).hits, []);
});
