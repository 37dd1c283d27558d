/** Local analytics of a whole server: off unless wanted, counted whoever answers, kept over a restart, seen by few. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type Answer, TestServer } from "../lib/server.ts";

const MASTER = "a master key of enough bytes";
const ON = { key: MASTER, args: ["--analytics-local"] };

interface Rows {
  results: { query: string; count: number; [name: string]: unknown }[];
}

let server: TestServer;

const rows = async (name: string, of = server) =>
  (await of.request<Rows>("GET", `/analytics/movies/${name}`)).body.results;
const counts = async (name: string) => Object.fromEntries((await rows(name)).map(({ query, count }) => [query, count]));

async function keyFor(actions: string[], indexes: string[]): Promise<Record<string, string>> {
  const made = await server.request<{ key: string }>("POST", "/keys", { actions, indexes, expiresAt: null });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { authorization: `Bearer ${made.body.key}` };
}

function click(documentId: string | number, query = "Batman", headers = {}): Promise<Answer<{ code?: string }>> {
  const event = { eventType: "click", indexUid: "movies", query, documentId, position: 1 };
  return server.request("POST", "/events", event, headers);
}

describe("local analytics", () => {
  before(async () => {
    server = await TestServer.start(ON);
    const documents = Array.from({ length: 50 }, (_, id) => ({ id, title: `batman ${id} returns`, kind: id % 3 }));
    await server.write("PATCH", "/indexes/movies/settings", { filterableAttributes: ["kind"] });
    await server.write("POST", "/indexes/movies/documents", documents);
    await server.write("POST", "/indexes/other/documents", [{ id: 1 }]);
  });
  after(() => server.dispose());

  it("count every search, however it is asked and answered", async () => {
    const search = (body: object, headers = {}) => server.request("POST", "/indexes/movies/search", body, headers);
    // Found by a reader, then kept answers, read and then recognized by their bytes; compressed in three ways.
    for (let i = 0; i < 4; i++) await search({ q: "batman" });
    for (const coding of ["gzip", "br", "gzip"]) await search({ q: "Batman" }, { "accept-encoding": coding });
    await server.request("GET", "/indexes/movies/search?q=batman");
    await search({ q: "zzzz" });
    await search({ q: "zzzz" }, { "accept-encoding": "br", "meili-include-metadata": "true" });
    const queries = [
      { indexUid: "movies", q: "batman" },
      { indexUid: "movies", q: "yyyy" },
    ];
    await server.request("POST", "/multi-search", { queries });
    await server.request("POST", "/multi-search", { queries });
    await server.request("POST", "/multi-search", { federation: {}, queries });
    const many = Array.from({ length: 9000 }, (_, i) => i).join(", ");
    const heavy = { q: "xxxx", filter: `kind IN [${many}]` };
    assert.equal((await search(heavy)).status, 200);
    await server.request("POST", "/multi-search", { queries: [{ indexUid: "movies", ...heavy }, queries[0]] });
    assert.equal((await search({ q: "refused", filter: "title = 1" })).status, 400);
    assert.deepEqual(await counts("queries"), { batman: 12, yyyy: 3, xxxx: 2, zzzz: 2 });
    // Of merged searches nobody knows which has found nothing.
    assert.deepEqual(await counts("no-hits"), { xxxx: 2, yyyy: 2, zzzz: 2 });
    assert.deepEqual((await rows("slow")).map(({ query }) => query).sort(), ["batman", "xxxx", "yyyy", "zzzz"]);
    const [today] = await rows("days");
    assert.equal(today!["searches"], 19);
    assert.equal(today!["searchesWithoutHits"], 6);
  });

  it("count clicks and refuse what is none", async () => {
    for (const id of ["7", 7, "8"]) assert.equal((await click(id)).status, 204);
    assert.deepEqual(
      (await rows("clicks")).map(({ query, documentId, count }) => [query, documentId, count]),
      [
        ["batman", "7", 2],
        ["batman", "8", 1],
      ],
    );
    assert.equal((await rows("queries"))[0]!["clicks"], 3);
    const event = { eventType: "click", indexUid: "movies", query: "a", documentId: "1", position: 0 };
    for (const [wrong, code] of [
      [{ ...event, eventType: "look" }, "bad_request"],
      [{ ...event, indexUid: "nowhere" }, "index_not_found"],
      [{ ...event, documentId: undefined }, "missing_document_id"],
      [{ ...event, position: -1 }, "bad_request"],
    ] as const) {
      assert.equal((await server.request<{ code: string }>("POST", "/events", wrong)).body.code, code);
    }
  });

  it("are shown for the days that are wanted", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const get = (query: string) => server.request<Rows & { code: string }>("GET", `/analytics/movies/queries${query}`);
    assert.equal((await get(`?from=${today}&to=${today}&limit=2`)).body.results.length, 2);
    assert.equal((await get("?to=2020-01-01")).body.results.length, 0);
    assert.equal((await get("?from=2020-02-30")).body.code, "bad_request");
    const missing = await server.request<{ code: string }>("GET", "/analytics/nowhere/queries");
    assert.deepEqual([missing.status, missing.body.code], [404, "index_not_found"]);
  });

  it("are seen by keys with the action, on their indexes", async () => {
    const see = async (headers: Record<string, string>, uid = "movies") =>
      (await server.request("GET", `/analytics/${uid}/days`, undefined, headers)).status;
    const reader = await keyFor(["analytics.get"], ["movies"]);
    assert.equal(await see(reader), 200);
    assert.equal(await see(reader, "other"), 403);
    const adder = await keyFor(["analytics.add"], ["movies"]);
    assert.equal(await see(adder), 403);
    assert.equal((await click("9", "batman", adder)).status, 204);
    assert.equal((await click("9", "batman", reader)).status, 403);
    assert.equal((await click("9", "batman", await keyFor(["analytics.*"], ["other"]))).status, 403);
    const { results } = (await server.request<{ results: { name: string; key: string }[] }>("GET", "/keys")).body;
    const may = new Map<string, number>();
    for (const { name, key } of results) {
      if (name !== null) may.set(name, await see({ authorization: `Bearer ${key}` }));
    }
    assert.deepEqual(Object.fromEntries(may), {
      "Default Search API Key": 403,
      "Default Admin API Key": 200,
      "Default Read-Only Admin API Key": 403,
      "Default Chat API Key": 403,
    });
  });

  it("stay over a restart, and go with their index", async () => {
    const before = await rows("queries");
    assert.equal(await server.stop(), 0);
    server = await TestServer.start({ ...ON, directory: server.directory });
    assert.deepEqual(await rows("queries"), before);
    await server.write("PATCH", "/indexes/movies", { uid: "films" });
    await server.write("PATCH", "/indexes/films", { uid: "movies" });
    assert.deepEqual(await rows("queries"), before, "counts follow a new name");
    await server.write("DELETE", "/indexes/movies");
    await server.write("POST", "/indexes/movies/documents", [{ id: 1 }]);
    assert.deepEqual(await rows("queries"), []);
  });
});

it("local analytics are off by default, and say how to have them", async () => {
  const plain = await TestServer.start();
  try {
    await plain.write("POST", "/indexes/movies/documents", [{ id: 1 }]);
    await plain.request("POST", "/indexes/movies/search", { q: "a" });
    const shown = await plain.request<{ code: string; message: string }>("GET", "/analytics/movies/queries");
    assert.equal(shown.status, 400);
    assert.equal(shown.body.code, "feature_not_enabled");
    assert.match(shown.body.message, /--analytics-local/);
    assert.equal((await plain.request<{ code: string }>("POST", "/events", {})).body.code, "feature_not_enabled");
    await plain.stop();
    assert.ok(!existsSync(path.join(plain.directory, "db", "insight")));
  } finally {
    await plain.dispose();
  }
});
