/** Searches by meaning, against similarities worked out one by one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import { globalScore } from "../../../src/engine/rank/score.ts";
import { rankSearch } from "../../../src/engine/rank/search.ts";
import { similarityOf } from "../../../src/engine/vector/target.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { ask, BLANK, idsOf, rows, scoresOf, viewOf } from "../rank/support.ts";
import { bestSimilarity, byVector, EMBEDDERS, QUANTIZED, vector, vectors, withVectors } from "./support.ts";

const documents = fc.array(vectors, { minLength: 1, maxLength: 30 });

function whole(result: RankResult): [number, number][] {
  return result.hits.map(({ docid, details }) => [docid, globalScore(details)]);
}

for (const [name, embedders] of Object.entries({ floats: EMBEDDERS, bits: QUANTIZED })) {
  test(`documents come by similarity, those without vectors last: ${name}`, () => {
    fc.assert(
      fc.property(documents, vector, fc.integer({ min: 1, max: 40 }), (docs, target, limit) => {
        const view = viewOf({ embedders }, [rows(docs.map((own) => withVectors(own)))]);
        const result = ask(view, { ...byVector(view, target), limit });
        const expected = docs.map((own) => bestSimilarity(own, target, name === "bits"));
        assert.equal(result.hits.length, Math.min(limit, docs.length));
        assert.equal(result.total, docs.length);
        let last = 1;
        for (const { docid, details } of result.hits) {
          const score = globalScore(details);
          assert.ok(Math.abs(score - (expected[docid] ?? 0)) < 1e-6, `${docid}: ${score}`);
          assert.ok(score <= last);
          last = score;
        }
        const shown = new Set(idsOf(result));
        for (const [docid, score] of expected.entries()) {
          if (!shown.has(docid)) assert.ok((score ?? 0) <= last + 1e-6);
        }
        for (const { segment, row } of result.hits) view.segments[segment]!.reader.readDocument(row);
        view.segments[0]!.reader.close();
      }),
      { numRuns: 80 },
    );
  });
}

test("how documents are spread over segments does not show, nor do deleted ones", () => {
  const spread = fc.array(fc.nat(2), { minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(documents, vector, spread, fc.nat(5), (docs, target, deals, cut) => {
      const all = rows(docs.map((own, id) => withVectors(own, { kind: id % 3 })));
      const deleted = all.filter(({ docid }) => docid % 7 === cut).map(({ docid }) => docid);
      const hands = [0, 1, 2].map((hand) => all.filter((_, i) => deals[i % deals.length] === hand));
      const settings = { embedders: EMBEDDERS, filterableAttributes: ["kind"] };
      const [one, many] = [viewOf(settings, [all], deleted), viewOf(settings, [all, ...hands], deleted)];
      for (const distinct of [null, "kind"]) {
        for (const rankingScoreThreshold of [null, 0.6]) {
          const request = { limit: 5, distinct, rankingScoreThreshold };
          const [left, right] = [one, many].map((view) => ask(view, { ...request, ...byVector(view, target) }));
          assert.deepEqual(whole(left!), whole(right!));
          assert.equal(left!.total, right!.total);
        }
      }
      for (const { reader } of [...one.segments, ...many.segments]) reader.close();
    }),
    { numRuns: 40 },
  );
});

test("only documents of the universe are compared", () => {
  const view = viewOf({ embedders: EMBEDDERS }, [
    rows([withVectors([1, 0, 0, 0, 0]), withVectors([0, 1, 0, 0, 0]), withVectors([1, 1, 0, 0, 0])]),
  ]);
  const request = { ...BLANK, ...byVector(view, [1, 0, 0, 0, 0]) };
  const result = rankSearch(view, [Bitmap.of(3, [1, 2])], request);
  assert.deepEqual(idsOf(result), [2, 1]);
  assert.equal(result.total, 2);
});

test("orders by value keep their place around the vector rule", () => {
  const docs = rows([
    withVectors([1, 0, 0, 0, 0], { price: 3 }),
    withVectors([0, 1, 0, 0, 0], { price: 1 }),
    withVectors([1, 1, 0, 0, 0], { price: 1 }),
    withVectors([2, 0, 0, 0, 0], { price: 2 }),
  ]);
  const order = (rankingRules: string[]) => {
    const view = viewOf({ embedders: EMBEDDERS, rankingRules }, [docs]);
    return idsOf(ask(view, byVector(view, [1, 0, 0, 0, 0])));
  };
  assert.deepEqual(order(["price:asc", "words"]), [2, 1, 3, 0]);
  assert.deepEqual(order(["typo", "price:asc", "exactness"]), [3, 0, 2, 1]);
  assert.deepEqual(order(["exactness"]), [0, 3, 2, 1]);
  assert.deepEqual(order(["price:desc"]), [0, 3, 1, 2]);
});

test("zero vectors are like any other; far ones have no similarity", () => {
  const view = viewOf({ embedders: EMBEDDERS }, [
    rows([withVectors([0, 0, 0, 0, 0]), withVectors([-1, 0, 0, 0, 0]), withVectors(null)]),
  ]);
  assert.deepEqual(scoresOf(ask(view, byVector(view, [1, 0, 0, 0, 0]))), [1, 0, 0]);
  assert.deepEqual(scoresOf(ask(view, byVector(view, [0, 0, 0, 0, 0]))), [1, 1, 0]);
});

test("a distribution moves similarities and keeps them between 0 and 1", () => {
  const close = (actual: number, expected: number) => assert.ok(Math.abs(actual - expected) < 1e-6, String(actual));
  close(similarityOf(0.3, { mean: 0.7, sigma: 0.1 }), 0.5);
  close(similarityOf(0.2, { mean: 0.7, sigma: 0.1 }), 0.9);
  close(similarityOf(0.9, { mean: 0.7, sigma: 0.1 }), 1.1920929e-7);
  close(similarityOf(0, { mean: 0.7, sigma: 0.1 }), 1);
  close(similarityOf(0.25, null), 0.75);
});
