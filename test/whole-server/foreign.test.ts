import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { TestServer } from "../lib/server.ts";

const AUTHORS = [
  { id: "a1", name: "Ann", born: 1950, secret: 1 },
  { id: "a2", name: "Bob", born: 1980, secret: 2 },
];
const BOOKS = [
  { id: 1, title: "Tides", author: "a1", related: ["a2", "gone"] },
  { id: 2, title: "Sand", author: "a2", related: [] },
];
const ANN = { id: "a1", name: "Ann", born: 1950 };
const BOB = { id: "a2", name: "Bob", born: 1980 };

interface Hit {
  id: number;
  author: unknown;
  related: unknown;
  _formatted: { title: string; author: unknown };
}
interface Found {
  hits: Hit[];
  results: (Found & Hit)[];
  code: string;
}

let server: TestServer;

before(async () => {
  server = await TestServer.start({ key: "a-master-key-of-sixteen-bytes" });
  await flag(true);
  await server.write("PATCH", "/indexes/authors/settings", {
    filterableAttributes: ["born"],
    displayedAttributes: ["id", "name", "born"],
  });
  await server.write("POST", "/indexes/authors/documents", AUTHORS);
  await server.write("PATCH", "/indexes/books/settings", {
    filterableAttributes: ["author"],
    foreignKeys: [
      { foreignIndexUid: "authors", fieldName: "author" },
      { foreignIndexUid: "authors", fieldName: "related" },
    ],
  });
  await server.write("POST", "/indexes/books/documents", BOOKS);
});

after(() => server.dispose());

async function flag(foreignKeys: boolean): Promise<void> {
  await server.request("PATCH", "/experimental-features", { foreignKeys });
}

async function find(body: unknown, path = "/indexes/books/search"): Promise<Found> {
  const answer = await server.request<Found>("POST", path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

test("hits show foreign documents in the place of their ids", async () => {
  const { hits } = await find({ q: "tides", attributesToHighlight: ["title"] });
  assert.deepEqual(hits, [
    {
      id: 1,
      title: "Tides",
      author: ANN,
      related: [BOB, {}],
      _formatted: { id: "1", title: "<em>Tides</em>", author: ANN, related: [BOB, {}] },
    },
  ]);
  const part = await find({ q: "sand", attributesToRetrieve: ["author"] });
  assert.deepEqual(part.hits, [{ author: BOB }]);
});

test("so do the hits of several searches, merged or not", async () => {
  const queries = [{ indexUid: "books", q: "sand" }];
  const { results } = await find({ queries }, "/multi-search");
  assert.deepEqual(results[0]!.hits[0]!.author, BOB);
  const merged = await find({ queries, federation: {} }, "/multi-search");
  assert.deepEqual(merged.hits[0]!.author, BOB);
});

test("a filter may look into the foreign index, in searches and in reads of documents", async () => {
  const filter = "_foreign(author, born < 1960)";
  assert.deepEqual(
    (await find({ filter })).hits.map(({ id }) => id),
    [1],
  );
  const { results } = await find({ filter }, "/indexes/books/documents/fetch");
  assert.deepEqual(
    results.map(({ id, author }) => ({ id, author })),
    [{ id: 1, author: "a1" }],
  );
});

test("without the flag ids stay ids", async () => {
  await flag(false);
  const { hits } = await find({ q: "sand" });
  assert.deepEqual(hits, [BOOKS[1]]);
  await flag(true);
});

test("who may not search the foreign index sees its ids only", async () => {
  const made = await server.request<{ key: string }>("POST", "/keys", {
    actions: ["search"],
    indexes: ["books"],
    expiresAt: null,
  });
  const headers = { authorization: `Bearer ${made.body.key}` };
  const { body } = await server.request<Found>("POST", "/indexes/books/search", { q: "sand" }, headers);
  assert.deepEqual(body.hits, [BOOKS[1]]);
});

test("a search fails when a foreign index does not exist", async () => {
  await server.write("PATCH", "/indexes/films/settings", {
    foreignKeys: [{ foreignIndexUid: "nowhere", fieldName: "author" }],
  });
  const { status, body } = await server.request<Found>("POST", "/indexes/films/search", {});
  assert.deepEqual([status, body.code], [404, "index_not_found"]);
});
