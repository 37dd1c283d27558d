import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { archiveOwner } from "../../src/engine/writer/leftovers.ts";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

test("documents, settings and tasks are there after a restart, and SIGTERM ends with 0", {
  timeout: 180_000,
}, async () => {
  const directory = temporaryDirectory();
  let server = await TestServer.start({ directory });
  await server.write("PATCH", "/indexes/books/settings", {
    filterableAttributes: ["author"],
    sortableAttributes: ["year"],
  });
  const added = await server.write("POST", "/indexes/books/documents", [
    { id: 1, title: "Emma", author: "Austen", year: 1815 },
    { id: 2, title: "Persuasion", author: "Austen", year: 1817 },
    { id: 3, title: "Middlemarch", author: "Eliot", year: 1871 },
  ]);
  assert.deepEqual(added.details, { receivedDocuments: 3, indexedDocuments: 3 });
  await server.write("PUT", "/indexes/books/documents", [{ id: 2, pages: 249 }]);
  await server.write("DELETE", "/indexes/books/documents/3");
  assert.equal(await server.stop(), 0);

  server = await TestServer.start({ directory });
  const all = await server.request<{ results: unknown[]; total: number }>(
    "GET",
    "/indexes/books/documents?sort=year:desc",
  );
  assert.deepEqual(all.body.results, [
    { id: 2, title: "Persuasion", author: "Austen", year: 1817, pages: 249 },
    { id: 1, title: "Emma", author: "Austen", year: 1815 },
  ]);
  const tasks = await server.request<{ total: number }>("GET", "/tasks?statuses=succeeded");
  assert.equal(tasks.body.total, 4);
  const stats = await server.request<{ fieldDistribution: object }>("GET", "/indexes/books/stats");
  assert.deepEqual(stats.body.fieldDistribution, { author: 2, id: 2, pages: 1, title: 2, year: 2 });
  assert.equal(await server.stop("SIGINT"), 0);
  await server.dispose();
});

/** For the tests from here on, each of which has indexes of its own. */
let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.dispose());

test("a canceled task leaves no trace in the index", { timeout: 180_000 }, async () => {
  await server.write("POST", "/indexes", { uid: "a", primaryKey: "id" });
  const big = Array.from({ length: 30_000 }, (_, id) => ({ id, text: `words and words ${id}`.repeat(20) }));
  const first = await server.request<{ taskUid: number }>("POST", "/indexes/a/documents", big);
  const second = await server.request<{ taskUid: number }>("POST", "/indexes/a/documents", [{ id: "x" }]);
  const canceled = await server.write("POST", `/tasks/cancel?uids=${first.body.taskUid},${second.body.taskUid}`);
  assert.equal(canceled.status, "succeeded");
  const outcomes = [await server.waitTask(first.body.taskUid), await server.waitTask(second.body.taskUid)];
  const survivors = outcomes.filter((task) => task.status === "succeeded").length;
  assert.equal(canceled.details?.["canceledTasks"], 2 - survivors);
  for (const task of outcomes) if (task.status === "canceled") assert.equal(task.canceledBy, canceled.uid);
  const stats = await server.request<{ numberOfDocuments: number }>("GET", "/indexes/a/stats");
  const expected =
    (outcomes[0]!.status === "succeeded" ? big.length : 0) + (outcomes[1]!.status === "succeeded" ? 1 : 0);
  assert.equal(stats.body.numberOfDocuments, expected);
});

test("the two times of an index are the same until something changes it", { timeout: 180_000 }, async () => {
  const times = async () => {
    const { body } = await server.request<{ createdAt: string; updatedAt: string }>("GET", "/indexes/plants");
    return body;
  };
  await server.write("POST", "/indexes", { uid: "plants" });
  const fresh = await times();
  assert.equal(fresh.createdAt, fresh.updatedAt);
  await server.write("POST", "/indexes/plants/documents", [{ id: 1, name: "fern" }]);
  const changed = await times();
  assert.equal(changed.createdAt, fresh.createdAt);
  assert.ok(changed.updatedAt > fresh.updatedAt);
});

test("a task that fails still creates the index it was to create, with nothing in it", {
  timeout: 180_000,
}, async () => {
  const sizes = { typoTolerance: { minWordSizeForTypos: { oneTypo: 12 } } };
  const failed = await server.write("PATCH", "/indexes/birds/settings", { stopWords: ["the"], ...sizes });
  assert.equal(failed.status, "failed");
  assert.equal((await server.request("GET", "/indexes/birds")).status, 200);
  const stopWords = await server.request("GET", "/indexes/birds/settings/stop-words");
  assert.deepEqual(stopWords.body, []);
  const deletion = await server.write("POST", "/indexes/fish/documents/delete", { filter: "id = 1" });
  assert.equal(deletion.status, "failed");
  assert.equal((await server.request("GET", "/indexes/fish")).status, 404);
});

test("a batch tells how much was built and which sizes changed", { timeout: 180_000 }, async () => {
  interface Stats {
    writeChannelCongestion?: { attempts: number; blocking_attempts: number; blocking_ratio: number };
    internalDatabaseSizes?: Record<string, string>;
  }
  const statsOf = async (method: string, path: string, body?: unknown): Promise<Stats> => {
    const { batchUid } = await server.write(method, path, body);
    return (await server.request<{ stats: Stats }>("GET", `/batches/${batchUid}`)).body.stats;
  };
  const none = await statsOf("POST", "/indexes", { uid: "tools" });
  assert.deepEqual([none.writeChannelCongestion, none.internalDatabaseSizes], [undefined, undefined]);
  const documents = [{ id: 1, name: "saw" }];
  const added = await statsOf("POST", "/indexes/tools/documents", documents);
  assert.deepEqual(added.writeChannelCongestion, { attempts: 1, blocking_attempts: 0, blocking_ratio: 0 });
  assert.match(added.internalDatabaseSizes?.["documents"] ?? "", /^\d+ B \(\+\d+ B\)$/);
  const again = await statsOf("POST", "/indexes/tools/documents", documents);
  assert.equal(again.internalDatabaseSizes, undefined);
  const removed = await statsOf("DELETE", "/indexes/tools/documents/1");
  assert.match(removed.internalDatabaseSizes?.["documents"] ?? "", /^0 B \(-\d+ B\)$/);
});

test("an index takes 65,535 fields, however many documents they are spread over", { timeout: 180_000 }, async () => {
  const wide = (id: number, from: number, to: number): object => {
    const document: Record<string, unknown> = { id };
    for (let i = from; i < to; i++) document[`f${i}`] = 1;
    return document;
  };
  const add = async (document: object) => server.write("POST", "/indexes/wide/documents?primaryKey=id", [document]);
  assert.equal((await add(wide(1, 0, 40_000))).status, "succeeded");
  assert.equal((await add(wide(2, 30_000, 65_535))).error?.code, "max_fields_limit_exceeded");
  assert.equal((await add(wide(3, 30_000, 65_534))).status, "succeeded");
  const stats = await server.request<{ numberOfDocuments: number }>("GET", "/indexes/wide/stats");
  assert.equal(stats.body.numberOfDocuments, 2);
});

test("documents cannot give an index another primary key; once there are some, those that replace may ask for one", {
  timeout: 180_000,
}, async () => {
  await server.write("POST", "/indexes", { uid: "keyed", primaryKey: "id" });
  const send = (method: string, key: string, id: number) =>
    server.write(method, `/indexes/keyed/documents?primaryKey=${key}`, [{ id, other: id }]);
  for (const method of ["POST", "PUT"]) {
    const refused = await send(method, "other", 1);
    assert.equal(refused.status, "failed");
    assert.equal(refused.error?.code, "index_primary_key_already_exists");
  }
  assert.equal((await send("POST", "id", 1)).status, "succeeded");
  assert.equal((await send("POST", "other", 2)).status, "succeeded");
  assert.equal((await send("PUT", "other", 3)).error?.code, "index_primary_key_already_exists");
  const { body } = await server.request<{ total: number }>("GET", "/indexes/keyed/documents");
  assert.equal(body.total, 2);
});

test("a server that may open too few files does not start, and says why", {
  skip: process.platform !== "linux",
}, () => {
  const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
  const command = `ulimit -n 64; exec "$0" "$1" --db-path "$2"`;
  const args = ["-c", command, process.execPath, main, join(temporaryDirectory(), "db")];
  const { status, stderr } = spawnSync("sh", args, { encoding: "utf8" });
  assert.notEqual(status, 0);
  assert.match(stderr, /allows 64 open files and at least 256 are needed/);
});

test("when the data directory is removed underneath, no task succeeds any more", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  await server.write("POST", "/indexes/books/documents", [{ id: 1 }]);
  renameSync(join(server.directory, "db"), join(server.directory, "elsewhere"));
  const search = () => server.request<{ code?: string; hits?: unknown[] }>("POST", "/indexes/books/search", {});
  const unread = await search();
  assert.deepEqual([unread.status, unread.body.code], [422, "io_error"], JSON.stringify(unread.body));
  const refused = await server.request<{ message: string }>("POST", "/indexes/books/documents", [{ id: 2 }]);
  assert.equal(refused.status, 500);
  assert.match(refused.body.message, /data\.mdb` is gone/);
  renameSync(join(server.directory, "elsewhere"), join(server.directory, "db"));
  assert.deepEqual((await search()).body.hits, [{ id: 1 }]);
  assert.equal((await server.write("POST", "/indexes/books/documents", [{ id: 2 }])).status, "succeeded");
  await server.dispose();
});

test("what a server that was killed has left of a dump or a snapshot is removed at the next start", {
  timeout: 180_000,
}, async () => {
  const directory = temporaryDirectory();
  const owner = archiveOwner(join(directory, "db"));
  const dumps = join(directory, "dumps");
  mkdirSync(dumps);
  const left = [`a.dump.partial${owner}`, `a.dump.partial${owner}.spool`];
  const others = ["b.dump", "b.dump.partial-of-another"];
  for (const name of [...left, ...others]) writeFileSync(join(dumps, name), "");
  const server = await TestServer.start({ directory });
  await server.write("POST", "/indexes", { uid: "a" });
  assert.deepEqual(readdirSync(dumps).sort(), others);
  await server.dispose();
});
