/** What a key or token of some indexes finds out about, or does to, the others. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test, { after, before } from "node:test";
import { defaultSettings } from "../../src/index/settings-update.ts";
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

test("a key of some indexes gives none a name out of its reach", async () => {
  const scoped = await key(["*"], ["aa*"]);
  assert.equal(await codeOf(scoped.value, "PATCH", "/indexes/aa1", { uid: "outofscope" }), "invalid_api_key");
  assert.equal(await codeOf(scoped.value, "PATCH", "/indexes/aa1", { uid: "aa2" }), "done");
  assert.equal(await codeOf(scoped.value, "PATCH", "/indexes/aa1", { primaryKey: "id" }), "done");
});
