/** Moving in from another server: what it does not show, what is not known here, runs that were interrupted, servers of old. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import test, { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../lib/patience.ts";
import { freePort, TestServer } from "../../lib/server.ts";
import { run, start } from "./program.ts";

const KEY = "a master key of some length";
const VECTORS = 300;
let source: TestServer;

before(async () => {
  source = await TestServer.start({ key: KEY, args: ["--experimental-allowed-ip-networks", "127.0.0.1/32"] });
  await source.write("PATCH", "/indexes/colours/settings", {
    embedders: {
      own: { source: "userProvided", dimensions: 3 },
      bought: {
        source: "openAi",
        apiKey: "sk-a-secret-of-the-other-server",
        model: "text-embedding-3-small",
        dimensions: 3,
      },
    },
    filterableAttributes: ["kind"],
  });
  const vectors = (id: number) => ({
    own: [id, 1, 0.5],
    bought: { embeddings: [[0, id, 1]], regenerate: true },
  });
  const documents = Array.from({ length: VECTORS }, (_, id) => ({ id, kind: `k${id % 3}`, _vectors: vectors(id) }));
  await source.write("POST", "/indexes/colours/documents", documents);
  await source.write("POST", "/indexes", { uid: "empty", primaryKey: "sku" });
});
after(() => source.dispose());

const stateOf = (server: TestServer) => path.join(server.directory, "state");

async function migrated(to: TestServer, ...more: string[]) {
  const args = ["migrate", "--from", source.base, "--from-key", KEY, "--url", to.base, "--key", KEY, ...more];
  return await run(args, { XDG_STATE_HOME: stateOf(to) });
}

async function same(to: TestServer, uid: string, part: string): Promise<void> {
  const [theirs, ours] = await Promise.all(
    [source, to].map((one) => one.request<Record<string, unknown>>("GET", `/indexes/${uid}${part}`)),
  );
  assert.deepEqual(ours!.body, theirs!.body, uid + part);
}

test("vectors come over as they are, and no masked secret is taken for one", { timeout: 180_000 }, async () => {
  const to = await TestServer.start({ key: KEY });
  const { status, stdout, stderr } = await migrated(to);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^colours: 300 documents, settings$/m);
  assert.match(stdout, /^empty: 0 documents, settings$/m);
  assert.match(stderr, /colours: the key of the embedder bought is not shown by the server: set it here/);
  await same(to, "colours", "/documents?limit=1000&retrieveVectors=true");
  await same(to, "colours", "/settings/filterable-attributes");
  const { body } = await to.request<Record<string, unknown>>("GET", "/indexes/colours/settings/embedders");
  assert.deepEqual(Object.keys(body), ["bought", "own"]);
  assert.equal("apiKey" in (body["bought"] as object), false);
  const index = await to.request<{ primaryKey: string }>("GET", "/indexes/empty");
  assert.equal(index.body.primaryKey, "sku");
  await to.dispose();
});

test("all keys are copied, and one that has ended does not keep the others from it", { timeout: 180_000 }, async () => {
  const uids = new Set<string>();
  const create = async (name: string, expiresAt: string | null): Promise<number> => {
    const key = { name, actions: ["search"], indexes: ["*"], expiresAt };
    const { status, body } = await source.request<{ uid: string }>("POST", "/keys", key);
    if (status === 201) uids.add(body.uid);
    return status;
  };
  let endsAt = 0;
  // One that has ended before it is made is refused: a busy machine is given longer.
  for (let aheadMs = 1000; uids.size === 0; aheadMs *= 2) {
    endsAt = Date.now() + aheadMs;
    await create("key 0", new Date(endsAt).toISOString());
  }
  for (let i = 1; i < 120; i++) assert.equal(await create(`key ${i}`, null), 201);
  const to = await TestServer.start({ key: KEY });
  const values = async (server: TestServer) =>
    (await server.request<{ results: { uid: string; key: string; name: string }[] }>("GET", "/keys?limit=1000")).body
      .results;
  const theirs = await values(source);
  await pause(Math.max(0, endsAt - Date.now()) + 1);
  const { status, stdout, stderr } = await migrated(to);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /the key key 0 was left out: /);
  assert.match(stdout, /^123 keys$/m);
  const ours = new Map((await values(to)).map(({ uid, key }) => [uid, key]));
  for (const { uid, key, name } of theirs) if (uids.has(uid) && name !== "key 0") assert.equal(ours.get(uid), key);
  await to.dispose();
});

/** How many pages come over before the gate is opened: a run that is done cannot go on. */
const PAGES_BEFORE = 30;

/** Passes on what is asked, but for the later ones of requests that begin with `held`, until it is opened. */
async function gateTo(base: string, held: string) {
  let isOpen = false;
  let passed = 0;
  const server = http.createServer(async (request, response) => {
    if (!isOpen && request.url!.startsWith(held) && passed++ >= PAGES_BEFORE) return;
    const authorization = request.headers.authorization ?? "";
    const answer = await fetch(base + request.url, { headers: { authorization } });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open() {
      isOpen = true;
    },
    close: () => server.close().closeAllConnections(),
  };
}

test("a run that was killed goes on where it was, unless the data is gone", { timeout: 180_000 }, async () => {
  const documents = Array.from({ length: 3000 }, (_, id) => ({ id, text: `entry ${id}` }));
  await source.write("POST", "/indexes/long/documents", documents);
  const port = await freePort();
  let to = await TestServer.start({ key: KEY, port });
  const { directory } = to;
  const gate = await gateTo(source.base, "/indexes/long/documents?");
  const flags = ["--index", "long", "--page-size", "50"];
  const args = ["migrate", "--from", gate.url, "--from-key", KEY, "--url", to.base, "--key", KEY, ...flags];
  const child = start(args, { XDG_STATE_HOME: stateOf(to) });
  const tasks = async () => (await to.request<{ total: number }>("GET", "/tasks?limit=1")).body.total;
  const reached = (count: number) =>
    until(
      async () => (await tasks()) >= count,
      () => `${count} tasks`,
    );
  await reached(8);
  await to.kill();
  to = await TestServer.start({ key: KEY, port, directory });
  await reached(16);
  child.ref();
  child.kill("SIGKILL");
  await once(child, "exit");
  gate.open();
  const again = await run(args, { XDG_STATE_HOME: stateOf(to) });
  assert.equal(again.status, 0, again.stderr);
  assert.match(again.stderr, /^long: goes on after [\d,]+ documents$/m);
  await same(to, "long", "/documents?limit=10000");

  const interrupted = start(args, { XDG_STATE_HOME: stateOf(to) });
  const before = await tasks();
  await reached(before + 8);
  interrupted.ref();
  interrupted.kill("SIGKILL");
  await once(interrupted, "exit");
  await to.kill();
  const empty = await TestServer.start({ key: KEY, port });
  const anew = await run(args, { XDG_STATE_HOME: stateOf(to) });
  assert.equal(anew.status, 0, anew.stderr);
  assert.doesNotMatch(anew.stderr, /goes on/);
  await same(empty, "long", "/documents?limit=10000");
  gate.close();
  await empty.dispose();
  await to.dispose();
});

/** A server that gives these answers, by path; `retrieveVectors` is refused where it is not known. */
async function playing(answers: Record<string, (query: URLSearchParams) => unknown>, knowsVectors: boolean) {
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://other");
    const isRefused = searchParams.has("retrieveVectors") && !knowsVectors;
    const message = "Unknown parameter `retrieveVectors`";
    const refused = { message, code: "bad_request", type: "invalid_request", link: "" };
    response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isRefused ? refused : answers[pathname]!(searchParams)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const to = await TestServer.start({ key: KEY });
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["migrate", "--from", from, "--url", to.base, "--key", KEY, "--page-size", "2"];
  const outcome = await run(args, { XDG_STATE_HOME: stateOf(to) });
  server.close();
  return { to, ...outcome };
}

const BOOKS = { uid: "books", createdAt: "2020-01-01T00:00:00Z", updatedAt: "2020-01-01T00:00:00Z" };
const ODD = { uid: "2b5a5a3e-6a3f-4d0b-9d0a-7a1f1d5f0001", actions: ["unheard.of"], indexes: ["*"], expiresAt: null };
const titles = ["Emma", "Middlemarch", "Persuasion", "Villette", "Shirley"];
const documents = titles.map((title, i) => ({ id: i + 1, title }));
const pageOf = (query: URLSearchParams) => {
  const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
  return { results: documents.slice(offset, offset + limit), offset, limit };
};

async function assertDocuments(to: TestServer): Promise<void> {
  const { body } = await to.request<{ results: object[] }>("GET", "/indexes/books/documents");
  assert.deepEqual(body.results, documents);
}

test("a server of old, that knows neither vectors nor totals nor some of the keys, is copied as far as it goes", async () => {
  const answers = {
    "/indexes": () => ({ results: [{ ...BOOKS, primaryKey: "id" }] }),
    "/indexes/books/settings": () => ({ searchableAttributes: ["title"], rankingRules: ["words", "typo"] }),
    "/indexes/books/documents": pageOf,
    "/keys": () => ({ results: [{ name: "odd", ...ODD }] }),
  };
  const { to, status, stdout, stderr } = await playing(answers, false);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /books: vectors were left behind: Unknown parameter/);
  assert.match(stdout, /^books: 5 documents, settings$/m);
  assert.match(stderr, /the key odd was left out/);
  await assertDocuments(to);
  await to.dispose();
});

test("a newer server, with settings and facts of keys that are not known here, is copied as far as it goes", async () => {
  const key = { ...ODD, actions: ["search"], key: "0123", createdAt: BOOKS.createdAt, updatedAt: BOOKS.updatedAt };
  const settings = {
    rankingRules: ["words"],
    distinctAttribute: null,
    searchCutoffMs: null,
    embedders: {},
    novelty: 3,
  };
  const answers = {
    "/indexes": () => ({ results: [BOOKS], offset: 0, limit: 1000, total: 1 }),
    "/indexes/books/settings": () => settings,
    "/indexes/books/documents": (query: URLSearchParams) => ({ ...pageOf(query), total: documents.length }),
    // Only some of the fields of a key have to be there.
    "/keys": () => ({ results: [{ ...key, expiresAt: undefined, lastUsedAt: null }], offset: 0, limit: 100, total: 1 }),
  };
  const { to, status, stdout, stderr } = await playing(answers, true);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /books: the setting novelty was left out, which was 3: Unknown field `novelty`/);
  assert.match(stdout, /^1 key$/m);
  const made = await to.request<Record<string, unknown>>("GET", `/keys/${ODD.uid}`);
  assert.deepEqual([made.body["actions"], made.body["expiresAt"], made.body["name"]], [["search"], null, null]);
  const { body } = await to.request("GET", "/indexes/books/settings/ranking-rules");
  assert.deepEqual(body, ["words"]);
  await assertDocuments(to);
  await to.dispose();
});
