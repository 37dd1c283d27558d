import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { parseSearch } from "../../../src/base/contract/search.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { type SearchExtras, searchAnswer } from "../../../src/engine/answer/search.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";

import { closeIndexed, indexed } from "./indexed.ts";

const docs = Array.from({ length: 30 }, (_, id) => ({ id, kind: id % 2 === 0 ? "even" : "odd" }));
const view = indexed(docs, { filterableAttributes: ["kind", "id"], pagination: { maxTotalHits: 25 } }, 2);
after(() => closeIndexed(view));

const result: RankResult = {
  hits: docs.slice(0, 25).map(({ id }) => view.hit(id)),
  candidates: view.everything,
  total: docs.length,
  query: null,
  degraded: false,
};

const extras: SearchExtras = {
  clock: { elapsedMs: 3.7, step: (_name, run) => run(), details: () => ({ search: "3.70ms" }) },
  requestUid: "0198c1a4-0000-7000-8000-000000000000",
  metadata: null,
  semanticHitCount: null,
  queryVector: null,
  remoteErrors: null,
};

interface Answer {
  [name: string]: unknown;
  hits: { id: number }[];
}

function answer(body: JsonObject, more: Partial<SearchExtras> = {}): Answer {
  const { body: bytes } = searchAnswer(view, parseSearch(body), result, [], { ...extras, ...more });
  return JSON.parse(Buffer.from(bytes).toString());
}

const ids = ({ hits }: Answer) => hits.map(({ id }) => id);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe("the answer to a search", () => {
  it("has its keys in order", () => {
    assert.deepEqual(Object.keys(answer({})), [
      "hits",
      "query",
      "processingTimeMs",
      "limit",
      "offset",
      "estimatedTotalHits",
      "requestUid",
    ]);
    const everything = answer(
      { q: 'a "b"', page: 1, facets: ["*"], showPerformanceDetails: true },
      { metadata: { indexUid: "x" }, semanticHitCount: 4, queryVector: [1, 0.5], remoteErrors: {} },
    );
    assert.deepEqual(Object.keys(everything), [
      "hits",
      "query",
      "queryVector",
      "processingTimeMs",
      "hitsPerPage",
      "page",
      "totalPages",
      "totalHits",
      "facetDistribution",
      "facetStats",
      "requestUid",
      "metadata",
      "performanceDetails",
      "remoteErrors",
      "semanticHitCount",
    ]);
    assert.equal(everything["query"], 'a "b"');
    assert.equal(everything["processingTimeMs"], 3);
    assert.deepEqual(everything["performanceDetails"], { search: "3.70ms" });
  });

  it("shows a window of what can be reached", () => {
    const cases: [body: JsonObject, shown: number[]][] = [
      [{}, range(0, 20)],
      [{ offset: 3, limit: 2 }, [3, 4]],
      [{ offset: 22, limit: 10 }, range(22, 25)],
      [{ limit: 1000 }, range(0, 25)],
      [{ offset: 25 }, []],
      [{ limit: 0 }, []],
    ];
    for (const [body, shown] of cases) {
      const found = answer(body);
      assert.deepEqual(ids(found), shown);
      assert.equal(found["estimatedTotalHits"], 25);
      assert.equal(found["limit"], body["limit"] ?? 20);
    }
    assert.equal(answer({ offset: 1000 })["offset"], 25);
  });

  it("counts pages", () => {
    const cases: [body: JsonObject, shown: number[], totalPages: number][] = [
      [{ page: 1 }, range(0, 20), 2],
      [{ page: 2 }, range(20, 25), 2],
      [{ hitsPerPage: 7 }, range(0, 7), 4],
      [{ hitsPerPage: 7, page: 4 }, range(21, 25), 4],
      [{ page: 9 }, [], 2],
      [{ page: 0 }, [], 2],
      [{ hitsPerPage: 0 }, [], 0],
      [{ page: 1, offset: 5, limit: 1 }, range(0, 20), 2],
    ];
    for (const [body, shown, totalPages] of cases) {
      const found = answer(body);
      assert.deepEqual(ids(found), shown);
      assert.deepEqual([found["totalHits"], found["totalPages"]], [25, totalPages]);
      assert.deepEqual([found["hitsPerPage"], found["page"]], [body["hitsPerPage"] ?? 20, body["page"] ?? 1]);
    }
  });

  it("has facets of all candidates when asked for", () => {
    const found = answer({ facets: ["kind"], limit: 1 });
    assert.deepEqual(found["facetDistribution"], { kind: { even: 15, odd: 15 } });
    assert.deepEqual(found["facetStats"], {});
    assert.deepEqual(answer({ facets: ["id"] })["facetStats"], { id: { min: 0, max: 29 } });
    assert.equal("facetDistribution" in answer({ facets: [] }), false);
  });
});
