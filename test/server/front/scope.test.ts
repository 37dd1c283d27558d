/** What a key or token of some indexes finds out about, or does to, the others. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test, { after, before } from "node:test";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { type Api, indexNamed, startApi } from "./services.ts";

const MASTER = { authorization: "Bearer a-master-key-of-sixteen-bytes" };
const FOREIGN = "_foreign(author, born < 1960)";
let api: Api;

before(async () => {
  api = await startApi("node", "a-master-key-of-sixteen-bytes");
  const foreignKeys = [{ foreignIndexUid: "authors", fieldName: "author" }];
  api.indexes.set("books", indexNamed("books", { settings: { ...defaultSettings(), foreignKeys } }));
  api.indexes.set("authors", indexNamed("authors"));
  await api.call("PATCH", "/experimental-features", { foreignKeys: true }, MASTER);
});

after(() => api.stop());

async function key(actions: string[], indexes: string[]): Promise<{ uid: string; value: string }> {
  const { body } = await api.call("POST", "/keys", { actions, indexes, expiresAt: null }, MASTER);
  return { uid: body.uid, value: body.key };
}

async function codeOf(bearer: string, method: string, path: string, body?: unknown): Promise<string> {
  const answer = await api.call(method, path, body, { authorization: `Bearer ${bearer}` });
  return answer.status < 300 ? "done" : answer.body.code;
}

function token(parent: { uid: string; value: string }, searchRules: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({ apiKeyUid: parent.uid, searchRules })}`;
  return `${text}.${createHmac("sha256", parent.value).update(text).digest("base64url")}`;
}

test("a filter looks into no index that is closed to the key, whichever route takes it", async () => {
  const narrow = await key(["documents.get", "search"], ["books"]);
  const wide = await key(["documents.get", "search"], ["books", "authors"]);
  const query = `filter=${encodeURIComponent(FOREIGN)}`;
  for (const [method, path, body] of [
    ["GET", `/indexes/books/documents?${query}`, undefined],
    ["POST", "/indexes/books/documents/fetch", { filter: FOREIGN }],
    ["POST", "/indexes/books/documents/fetch", { filter: [["id = 1", `NOT ${FOREIGN}`]] }],
    ["GET", `/indexes/books/search?${query}`, undefined],
    ["POST", "/indexes/books/search", { filter: FOREIGN }],
    ["POST", "/indexes/books/similar", { id: 1, embedder: "e", filter: FOREIGN }],
    ["POST", "/indexes/books/facet-search", { facetName: "author", filter: FOREIGN }],
    ["POST", "/multi-search", { queries: [{ indexUid: "books", filter: FOREIGN }] }],
  ] as const) {
    api.asked.length = 0;
    assert.equal(await codeOf(narrow.value, method, path, body), "invalid_api_key", `${method} ${path}`);
    assert.deepEqual(api.asked, []);
    assert.equal(await codeOf(wide.value, method, path, body), "done", `${method} ${path}`);
    assert.equal(api.asked.length, 1);
  }
});

test("neither does the filter of a tenant token that was signed with it", async () => {
  const rules = { books: { filter: FOREIGN } };
  const path = "/indexes/books/search";
  assert.equal(await codeOf(token(await key(["search"], ["books"]), rules), "POST", path, {}), "invalid_api_key");
  // A key that reaches the other index may sign such a rule without opening that index to the tenant.
  assert.equal(await codeOf(token(await key(["search"], ["*"]), rules), "POST", path, {}), "done");
});

test("keys and headers for other servers are shown to the operator, and to no key", async () => {
  await api.call("PATCH", "/experimental-features", { network: true }, MASTER);
  const admin = { authorization: `Bearer ${(await key(["*"], ["*"])).value}` };
  const remotes = { a: { url: "http://a", searchApiKey: "search-secret", writeApiKey: "write-secret" } };
  const headers = { "X-Key": "a secret of some length", Authorization: "Bearer abc", "Content-Type": "text/x" };
  for (const [caller, search, write, xKey] of [
    [admin, "seXXXX...", "wrXXXX...", "a sXXXXX..."],
    [MASTER, "search-secret", "write-secret", "a secret of some length"],
  ] as const) {
    const shown = { a: { url: "http://a", searchApiKey: search, writeApiKey: write, status: "available" } };
    assert.deepEqual((await api.call("PATCH", "/network", { remotes }, caller)).body.remotes, shown);
    assert.deepEqual((await api.call("GET", "/network", undefined, caller)).body.remotes, shown);
    const created = (await api.call("POST", "/webhooks", { url: "http://x", headers }, caller)).body;
    const known = { ...headers, "X-Key": xKey, Authorization: "Bearer XXX..." };
    assert.deepEqual(created.headers, known);
    const path = `/webhooks/${created.uuid}`;
    for (const answer of [
      await api.call("GET", path, undefined, caller),
      await api.call("PATCH", path, { url: "http://y" }, caller),
    ]) {
      assert.deepEqual(answer.body.headers, known);
    }
    const { results } = (await api.call("GET", "/webhooks", undefined, caller)).body;
    assert.deepEqual(results.find(({ uuid }: { uuid: string }) => uuid === created.uuid).headers, known);
    await api.call("DELETE", path, undefined, caller);
  }
  assert.deepEqual(api.services.network.current.remotes, remotes);
});

test("a key of some indexes gives none a name out of its reach", async () => {
  const scoped = await key(["*"], ["aa*"]);
  assert.equal(await codeOf(scoped.value, "PATCH", "/indexes/aa1", { uid: "outofscope" }), "invalid_api_key");
  assert.equal(await codeOf(scoped.value, "PATCH", "/indexes/aa1", { uid: "aa2" }), "done");
  assert.equal(await codeOf(scoped.value, "PATCH", "/indexes/aa1", { primaryKey: "id" }), "done");
});
