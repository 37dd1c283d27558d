/** A body means the same whoever reads it: the front, or a reader because it is long. Blanks make any body long. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test, { after, before } from "node:test";
import { TestServer } from "../lib/server.ts";

const KEY = "a key of the masters";
const BLANKS = " ".repeat(70_000);

let server: TestServer;
before(async () => {
  server = await TestServer.start({ key: KEY });
  const flags = { containsFilter: true, foreignKeys: true, editDocumentsByFunction: true, dynamicSearchRules: true };
  await server.request("PATCH", "/experimental-features", flags);
  const documents = Array.from({ length: 30 }, (_, id) => ({
    id,
    title: `film ${id} of the ${id % 2 === 0 ? "sea" : "land"}`,
    year: 1950 + id,
    author: String(id % 3),
    _vectors: { mine: [id, 1, 0] },
  }));
  const settings = {
    filterableAttributes: ["year", "author", "title"],
    sortableAttributes: ["year"],
    embedders: { mine: { source: "userProvided", dimensions: 3 } },
    foreignKeys: [{ fieldName: "author", foreignIndexUid: "people" }],
  };
  await server.write("PATCH", "/indexes/films/settings", settings);
  await server.write("PATCH", "/indexes/people/settings", { filterableAttributes: ["name"] });
  await server.write("POST", "/indexes/films/documents", documents);
  await server.write("POST", "/indexes/people/documents", [
    { id: "0", name: "Ann" },
    { id: "1", name: "Bo" },
  ]);
});
after(() => server.dispose());

/** Times and numbers are different every time. */
function comparable(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value) =>
      ["processingTimeMs", "requestUid", "taskUid", "enqueuedAt", "queryUid"].includes(key) ? "…" : value,
    ),
  );
}

async function bothWays(path: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const text = JSON.stringify(body);
  const short = await server.request("POST", path, text, headers);
  const long = await server.request("POST", path, `${text.slice(0, -1)}${BLANKS}${text.slice(-1)}`, headers);
  assert.equal(long.status, short.status, JSON.stringify(long.body));
  assert.deepEqual(comparable(long.body), comparable(short.body), `${path} ${text}`);
}

const SEARCHES: Record<string, unknown>[] = [
  { q: "film" },
  { q: "sea", filter: ["year > 1960", ["author = 0", "author = 1"]], sort: ["year:desc"], facets: ["author"] },
  { q: "film", limit: 3, attributesToHighlight: ["title"], showRankingScore: true, retrieveVectors: true },
  { filter: "title CONTAINS sea" },
  { filter: '_foreign(author, name = "Ann")' },
  { vector: [1, 0, 0], hybrid: { embedder: "mine" } },
  { q: "film", hybrid: { embedder: "mine" } },
  { q: "film", hybrid: { embedder: "nobody" } },
  { q: 7 },
  { filter: [{}] },
  { filter: "year >" },
  { filter: "other = 1" },
  { media: { a: 1 } },
  { personalize: { userContext: "x" } },
  { sort: ["nothing"] },
];

test("searches", async () => {
  for (const search of SEARCHES) await bothWays("/indexes/films/search", search);
  await bothWays("/indexes/nowhere/search", { q: "film" });
});

test("several searches", async () => {
  await bothWays("/multi-search", { queries: SEARCHES.slice(0, 6).map((query) => ({ indexUid: "films", ...query })) });
  await bothWays("/multi-search", {
    federation: { facetsByIndex: { films: ["author"] } },
    queries: [
      { indexUid: "films", q: "film" },
      { indexUid: "people", q: "a" },
    ],
  });
  for (const wrong of SEARCHES.slice(7)) {
    await bothWays("/multi-search", { queries: [{ indexUid: "films" }, { indexUid: "films", ...wrong }] });
  }
  await bothWays("/multi-search", { queries: [{ indexUid: "nowhere" }] });
  await bothWays("/multi-search", { queries: [], federation: { limit: "x" } });
});

test("values of a facet, documents like another, documents", async () => {
  await bothWays("/indexes/films/facet-search", { facetName: "author", facetQuery: "1", filter: "year > 1960" });
  await bothWays("/indexes/films/facet-search", { facetName: "no" });
  await bothWays("/indexes/films/similar", { id: 3, embedder: "mine", filter: "year < 1970" });
  await bothWays("/indexes/films/similar", { id: 300, embedder: "mine" });
  await bothWays("/indexes/films/documents/fetch", { ids: ["1", 2], fields: ["title"] });
  await bothWays("/indexes/films/documents/fetch", { filter: "year = 1960", retrieveVectors: true });
  await bothWays("/indexes/films/documents/fetch", { filter: "((" });
});

test("tenants see of it what they may see", async () => {
  const { body } = await server.request<{ results: { uid: string; key: string; actions: string[] }[] }>("GET", "/keys");
  const parent = body.results.find(({ actions }) => actions.length === 1 && actions[0] === "search")!;
  const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { apiKeyUid: parent.uid, searchRules: { films: { filter: "year < 1955" } } };
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  const token = `${signed}.${createHmac("sha256", parent.key).update(signed).digest("base64url")}`;
  const headers = { authorization: `Bearer ${token}` };
  for (const search of SEARCHES) await bothWays("/indexes/films/search", search, headers);
  const queries = [{ indexUid: "films", q: "film" }];
  await bothWays("/multi-search", { queries }, headers);
  await bothWays("/multi-search", { queries: [...queries, { indexUid: "people" }] }, headers);
});

test("pinned documents stand where they are pinned", async () => {
  const rule = {
    active: true,
    conditions: { query: { words: "film" } },
    actions: [{ selector: { indexUid: "films", id: "17" }, action: { type: "pin", position: 0 } }],
  };
  await server.write("PATCH", "/dynamic-search-rules/first", rule);
  await bothWays("/indexes/films/search", { q: "film", limit: 2 });
  await bothWays("/multi-search", { queries: [{ indexUid: "films", q: "film", limit: 2 }] });
});

/** The task that a write became, but for its time and number. */
async function taskAfter(method: string, path: string, body: string): Promise<unknown> {
  const task = await server.write(method, path, body);
  const shown: Record<string, unknown> = { ...task };
  for (const name of ["uid", "taskUid", "batchUid", "enqueuedAt", "startedAt", "finishedAt", "duration"]) {
    delete shown[name];
  }
  return shown;
}

test("writes", async () => {
  const writes: [string, string, unknown][] = [
    ["PATCH", "/indexes/other/settings", { stopWords: ["b", "a"], synonyms: { a: ["b"] }, displayedAttributes: null }],
    ["PUT", "/indexes/other/settings/stop-words", ["z", "y", "z"]],
    ["POST", "/indexes/other/documents/delete-batch", ["1", 2, { a: 1 }]],
    ["POST", "/indexes/films/documents/delete", { filter: "year > 3000" }],
    ["POST", "/indexes/films/documents/edit", { function: "doc.seen = doc.seen != true;", filter: "year = 1950" }],
    ["POST", "/indexes/films/documents/edit", { function: "doc.heard = doc.heard != true;", context: { a: 1 } }],
  ];
  for (const [method, path, body] of writes) {
    const text = JSON.stringify(body);
    const short = await taskAfter(method, path, text);
    assert.deepEqual(await taskAfter(method, path, `${text.slice(0, -1)}${BLANKS}${text.slice(-1)}`), short);
  }
  await bothWays("/indexes/films/documents/delete", { filter: '_foreign(author, name = "Ann")' });
  await bothWays("/indexes/films/documents/delete", { filter: "" });
  await bothWays("/indexes/films/documents/edit", { function: "let" });
  await bothWays("/indexes/films/documents/delete-batch", { no: "list" });
});
