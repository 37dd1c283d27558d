/** A few hundred bytes may ask for much: what is answered is bounded, and passed on whatever its length. */
import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "../../src/base/limits.ts";
import { TestServer } from "../lib/server.ts";

const HITS = 1000;
/** 36 MB with each word in these. */
const QUERY = {
  indexUid: "a",
  q: "sea",
  attributesToHighlight: ["*"],
  highlightPreTag: "<".repeat(9000),
  highlightPostTag: ">".repeat(9000),
};

test("what would be too long is refused, and the next question is answered", async () => {
  const server = await TestServer.start();
  try {
    const documents = Array.from({ length: HITS }, (_, id) => ({ id, text: "the sea beside the sea" }));
    await server.write("POST", "/indexes/a/documents", documents);
    const queries = (limit: number): object[] => Array.from({ length: 9 }, () => ({ ...QUERY, limit }));
    const much = await server.request<{ message: string }>("POST", "/multi-search", { queries: queries(HITS) });
    assert.equal(much.status, 400);
    assert.match(much.body.message, /longer than 256 MiB/);
    const few = await server.request<{ results: unknown[] }>("POST", "/multi-search", { queries: queries(1) });
    assert.equal(few.body.results.length, 9);
  } finally {
    await server.dispose();
  }
});

test("what is counted of queries may be long: readers pass it on and answer the next question", async () => {
  const server = await TestServer.start();
  try {
    await server.write("POST", "/indexes/a/documents", [{ id: 1, text: "sea" }]);
    const q = "é".repeat(limits.insightQueryUnits);
    const queries = Array.from({ length: limits.queriesPerSearch }, () => ({ indexUid: "a", q, limit: 0 }));
    const many = await server.request<{ results: unknown[] }>("POST", "/multi-search", { queries });
    assert.equal(many.body.results.length, queries.length);
    const one = await server.request<{ hits: unknown[] }>("POST", "/indexes/a/search", { q: "sea" });
    assert.equal(one.body.hits.length, 1);
  } finally {
    await server.dispose();
  }
});
