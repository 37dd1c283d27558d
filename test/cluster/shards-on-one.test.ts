/** An index that is divided into shards answers as one that is not, and none of its segments has documents of two shards. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { decodeManifest } from "../../src/storage/index/manifest.ts";
import { shardOf } from "../../src/storage/index/shards.ts";
import { openStore } from "../../src/storage/store/store.ts";
import { TestServer } from "../lib/server.ts";
import { open } from "../storage/segment/support.ts";
import { idle, inDirectory, KEY, startNode } from "./cluster.ts";
import { ending } from "./ending.ts";

const SHARDS = 5;
const DOCUMENTS = 1500;
/** Answers are compared after so many writes; all kinds have been among them by then. */
const LOOKS = new Set([2, 7, 10]);
const WORDS = "amber birch cedar dune ember fjord grove heath islet jetty knoll ledge marsh north ocean".split(" ");

const word = (number: number): string => WORDS[number % WORDS.length]!;

function document(id: number, version = 0): Record<string, unknown> {
  const n = id * 7919 + version * 31;
  return {
    id: id % 3 === 0 ? `name-${id}` : id,
    title: `${word(n)} ${word(n >> 3)}${version === 0 ? "" : " anew"}`,
    text: Array.from({ length: 12 }, (_, i) => word((n >> (i % 7)) + i)).join(" "),
    year: 1900 + (n % 90),
    tags: [word(n >> 2), word(n >> 5)],
    _geo: { lat: (n % 170) - 85, lng: (n % 350) - 175 },
  };
}

const between = (from: number, to: number, version = 0): unknown[] =>
  Array.from({ length: to - from }, (_, i) => document(from + i, version));

/** Large batches and small ones, and whatever moves documents from one segment to another. */
const WRITES: [method: string, url: string, body?: unknown][] = [
  [
    "PATCH",
    "/settings",
    // On a busy machine a search that is late would be cut short, and be another one.
    { filterableAttributes: ["year", "tags", "_geo"], sortableAttributes: ["year", "_geo"], searchCutoffMs: 100_000 },
  ],
  ["POST", "/documents", between(0, DOCUMENTS)],
  ["POST", "/documents", between(DOCUMENTS, DOCUMENTS + 20)],
  ["POST", "/documents", between(100, 400, 1)],
  ["PUT", "/documents", [{ id: 7, year: 2001 }, { id: "name-9", title: "ember" }, ...between(5000, 5003)]],
  ["DELETE", "/documents/name-12"],
  ["POST", "/documents/delete", { filter: "year < 1903" }],
  ["POST", "/documents", between(6000, 6050)],
  ["PATCH", "/settings", { searchableAttributes: ["title", "text"], stopWords: ["dune"] }],
  ["POST", "/documents", between(6050, 6060)],
];

const SEARCHES: Record<string, unknown>[] = [
  { q: "" },
  { q: "amber", facets: ["year", "tags"] },
  { q: "amb ocen", limit: 50, showRankingScore: true, showRankingScoreDetails: true },
  { q: "ember anew", matchingStrategy: "all", limit: 30 },
  { q: "fjord grove heath", matchingStrategy: "frequency", limit: 30, offset: 10 },
  { q: '"ember fjord"', attributesToHighlight: ["*"], showMatchesPosition: true },
  { q: "k", sort: ["year:desc"], limit: 40 },
  { q: "north", sort: ["_geoPoint(10, 20):asc"], filter: "year > 1950 AND tags = cedar", limit: 40 },
  { q: "ledge", distinct: "year", limit: 100, facets: ["*"] },
  { q: "islet jetty", hitsPerPage: 7, page: 3 },
  { q: "marsh", rankingScoreThreshold: 0.8, limit: 100 },
  { q: "heath", attributesToSearchOn: ["title"], filter: "_geoRadius(0, 0, 4000000)" },
];

async function answersOf(server: TestServer): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const search of SEARCHES) {
    const { status, body } = await server.request<Record<string, unknown>>("POST", "/indexes/all/search", search);
    assert.equal(status, 200, JSON.stringify(body));
    const { processingTimeMs: _, requestUid: __, ...rest } = body;
    answers.push(rest);
  }
  for (const [method, url, body] of [
    ["GET", "documents?limit=500&offset=50"],
    ["POST", "documents/fetch", { filter: "year > 1980", sort: ["year:asc"], limit: 200 }],
    ["POST", "facet-search", { facetName: "tags", facetQuery: "a" }],
    ["GET", "documents/name-333"],
  ] as const) {
    const answer = await server.request<Record<string, unknown>>(method, `/indexes/all/${url}`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { processingTimeMs: _, ...rest } = answer.body;
    answers.push(rest);
  }
  const stats = await server.request<Record<string, unknown>>("GET", "/indexes/all/stats");
  answers.push([stats.body["numberOfDocuments"], stats.body["fieldDistribution"]]);
  return answers;
}

/** The shards of all segments, each of which has documents of one alone. */
function shardsOn({ directory }: TestServer): Map<number, number> {
  const store = openStore(join(directory, "db", "store"));
  const [[, bytes]] = [...store.manifests.entries()] as [[number, Uint8Array]];
  const { id, shards, segments } = decodeManifest(bytes);
  assert.equal(shards, SHARDS);
  const rows = new Map<number, number>();
  for (const { file, shard } of segments) {
    const reader = open(join(directory, "db", "indexes", id, file));
    for (let row = 0; row < reader.rows; row++) {
      const external = Buffer.from(reader.externalId(row));
      assert.equal(shardOf(external, 0, external.length, SHARDS), shard);
    }
    rows.set(shard, (rows.get(shard) ?? 0) + reader.rows);
    reader.close();
  }
  void store.close();
  return rows;
}

test(
  "a divided index gives the answers of a whole one",
  ending(async () => {
    const whole = await TestServer.start({ key: KEY, args: ["--readers", "1"] });
    const divided = await startNode(inDirectory(), "one", undefined, ["--cluster-shards", String(SHARDS)]);
    for (const [i, [method, url, body]] of WRITES.entries()) {
      for (const server of [whole, divided]) {
        const { status, error } = await server.write(method, `/indexes/all${url}`, body);
        assert.equal(status, "succeeded", JSON.stringify(error));
      }
      if (!LOOKS.has(i + 1)) continue;
      const expected = await answersOf(whole);
      for (const [j, answer] of (await answersOf(divided)).entries()) assert.deepEqual(answer, expected[j]);
    }
    await divided.write("POST", "/indexes/all/compact");
    await idle(divided);
    assert.deepEqual(await answersOf(divided), await answersOf(whole));
    for (const server of [whole, divided]) assert.equal(await server.stop(), 0, server.output);
    const rows = shardsOn(divided);
    assert.deepEqual([...rows.keys()].sort(), [0, 1, 2, 3, 4]);
    for (const count of rows.values()) assert.ok(count > 200, JSON.stringify([...rows]));
  }),
);
