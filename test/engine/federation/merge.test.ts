import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type FederatedHit, mergeLists, mergeQueries } from "../../../src/engine/federation/merge.ts";

function hit(query: number, at: number, docid: number, score: number): FederatedHit {
  return { query, at, docid, elements: [{ kind: "score", score }], weightedScore: score };
}

function list(query: number, scores: readonly number[], docidOf = (at: number) => query * 1000 + at): FederatedHit[] {
  return scores.map((score, at) => hit(query, at, docidOf(at), score));
}

test("the best head is taken, the earlier query on a tie", () => {
  const merged = [...mergeLists([list(0, [0.9, 0.5]), list(1, [0.9, 0.7, 0.1])])];
  assert.deepEqual(
    merged.map(({ query, at }) => [query, at]),
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [1, 2],
    ],
  );
});

test("a document found by several queries stays where it first came", () => {
  const merged = [...mergeQueries([list(0, [0.4], () => 7), list(1, [0.8, 0.3], (at) => 7 + at)])];
  assert.deepEqual(
    merged.map(({ query, docid }) => [query, docid]),
    [
      [1, 7],
      [1, 8],
    ],
  );
});

test("merging keeps every hit and the order of every list", () => {
  const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(fc.array(scores, { maxLength: 5 }), (lists) => {
      const merged = [...mergeLists(lists.map((each, query) => list(query, each)))];
      assert.equal(merged.length, lists.flat().length);
      for (let query = 0; query < lists.length; query++) {
        const places = merged.filter((each) => each.query === query).map(({ at }) => at);
        assert.deepEqual(places, [...lists[query]!.keys()]);
      }
    }),
  );
});

test("lists in order give a list in order", () => {
  const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true })).map((each) => each.sort((a, b) => b - a));
  fc.assert(
    fc.property(fc.array(scores, { maxLength: 5 }), (lists) => {
      const merged = [...mergeLists(lists.map((each, query) => list(query, each)))].map((each) => each.weightedScore);
      for (let i = 1; i < merged.length; i++) assert.ok(merged[i - 1]! >= merged[i]! - Number.EPSILON);
    }),
  );
});
