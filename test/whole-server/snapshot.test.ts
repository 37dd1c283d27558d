import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { until } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";
import { tarball } from "../lib/tar.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

const documents = Array.from({ length: 3000 }, (_, id) => ({ id, title: `title ${id}`, year: 1900 + (id % 100) }));

test("a server started from a snapshot has everything, and waits for nothing that was done", {
  timeout: 180_000,
}, async () => {
  const server = await TestServer.start({ key: "a-master-key-of-16" });
  // More than a page of the store holds.
  const stopWords = Array.from({ length: 2000 }, (_, i) => `stop${i}`).sort();
  await server.write("PATCH", "/indexes/books/settings", { filterableAttributes: ["year"], stopWords });
  await server.write("POST", "/indexes/books/documents", documents);
  await server.write("DELETE", "/indexes/books/documents/7");
  const taken = await server.write("POST", "/snapshots");
  assert.equal(taken.status, "succeeded", JSON.stringify(taken.error));
  await server.write("POST", "/indexes/books/documents", [{ id: 100_000 }]);
  const keys = await server.request("GET", "/keys");
  const file = path.join(server.directory, "snapshots", "db.snapshot");
  assert.deepEqual(readdirSync(path.join(server.directory, "snapshots")), ["db.snapshot"]);
  assert.equal(readdirSync(path.join(server.directory, "db")).includes("snapshot-copy"), false);

  const other = await TestServer.start({ key: "a-master-key-of-16", args: ["--import-snapshot", file] });
  const page = "/indexes/books/documents?limit=5000&filter=year%20%3C%201950";
  const copied = await other.request<{ results: object[]; total: number }>("GET", page);
  const expected = documents.filter(({ id, year }) => id !== 7 && year < 1950);
  assert.deepEqual(copied.body.results, expected);
  assert.deepEqual((await other.request("GET", "/keys")).body, keys.body);
  assert.deepEqual((await other.request("GET", "/indexes/books/settings/stop-words")).body, stopWords);
  const tasks = await other.request<{ results: { uid: number; status: string }[] }>("GET", "/tasks");
  assert.deepEqual(
    tasks.body.results.map(({ status }) => status),
    ["succeeded", "succeeded", "succeeded", "succeeded"],
  );
  const added = await other.write("POST", "/indexes/books/documents", [{ id: 7 }]);
  assert.equal(added.uid, 4);
  assert.equal(added.status, "succeeded");
  assert.equal(await other.stop(), 0);

  const again = { directory: other.directory, key: "a-master-key-of-16" };
  await assert.rejects(TestServer.start({ ...again, args: ["--import-snapshot", file] }), /exists already/);
  const kept = await TestServer.start({
    ...again,
    args: ["--import-snapshot", file, "--ignore-snapshot-if-db-exists"],
  });
  assert.equal((await kept.request("GET", "/indexes/books/documents/7")).status, 200);
  await kept.dispose();
  await server.dispose();
});

test("a snapshot that is missing or damaged stops the start, and is no half-made database", {
  timeout: 180_000,
}, async () => {
  const server = await TestServer.start();
  await server.write("POST", "/indexes/books/documents", documents);
  await server.write("POST", "/snapshots");
  const file = path.join(server.directory, "snapshots", "db.snapshot");
  const directory = temporaryDirectory();
  const missing = path.join(directory, "no.snapshot");
  await assert.rejects(TestServer.start({ directory, args: ["--import-snapshot", missing] }), /there is no file/);
  const cut = path.join(directory, "cut.snapshot");
  writeFileSync(cut, readFileSync(file).subarray(0, 20_000));
  await assert.rejects(TestServer.start({ directory, args: ["--import-snapshot", cut] }), /cut short|unzipped/);
  await assert.rejects(TestServer.start({ directory }), /did not finish/);
  const garbage = path.join(directory, "garbage.snapshot");
  const store = { name: "store/data.mdb", content: "no store at all ".repeat(2000) };
  writeFileSync(
    garbage,
    tarball([{ name: "VERSION", content: readFileSync(path.join(server.directory, "db", "VERSION"), "utf8") }, store]),
  );
  await assert.rejects(
    TestServer.start({ directory: temporaryDirectory(), args: ["--import-snapshot", garbage] }),
    /the store `.*data\.mdb` is damaged: page 0 .* Start from a snapshot or a dump/,
  );
  const started = await TestServer.start({ directory, args: ["--import-snapshot", file] });
  const stats = await started.request<{ numberOfDocuments: number }>("GET", "/indexes/books/stats");
  assert.equal(stats.body.numberOfDocuments, documents.length);
  await started.stop();
  await server.dispose();

  const empty = temporaryDirectory();
  mkdirSync(path.join(empty, "db"));
  const fresh = await TestServer.start({
    directory: empty,
    args: ["--import-snapshot", missing, "--ignore-missing-snapshot"],
  });
  assert.equal((await fresh.request<{ total: number }>("GET", "/indexes")).body.total, 0);
  await fresh.dispose();
  await started.dispose();
});

test("payloads of waiting tasks travel with the snapshot", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const large = Array.from({ length: 20_000 }, (_, id) => ({ id, text: `words ${id} `.repeat(10) }));
  await server.write("POST", "/indexes/a/documents", [{ id: 0 }]);
  // Snapshots go before documents in the queue, so these still wait when it is made, unless the machine is very fast.
  const [, , snapshot] = await Promise.all([
    server.request("POST", "/indexes/a/documents", large),
    server.request("POST", "/indexes/b/documents", large),
    server.request<{ taskUid: number }>("POST", "/snapshots"),
  ]);
  await server.waitTask(snapshot.body.taskUid);
  const file = path.join(temporaryDirectory(), "copy.snapshot");
  cpSync(path.join(server.directory, "snapshots", "db.snapshot"), file);
  const other = await TestServer.start({ args: ["--import-snapshot", file] });
  const { body } = await other.request<{ results: { uid: number }[] }>("GET", "/tasks?types=documentAdditionOrUpdate");
  for (const { uid } of body.results) assert.equal((await other.waitTask(uid)).status, "succeeded");
  await other.dispose();
  await server.dispose();
});

test("scheduled snapshots are made by themselves", { timeout: 180_000 }, async () => {
  const server = await TestServer.start({ args: ["--schedule-snapshot", "1"] });
  await until(
    async () => {
      const { body } = await server.request<{ total: number }>(
        "GET",
        "/tasks?types=snapshotCreation&statuses=succeeded",
      );
      return body.total > 0;
    },
    () => "a snapshot is made",
  );
  await server.dispose();
});
