/** The upgrade of a data directory of an older version of ours, and the task of the type `databaseUpgrade` that tells of it. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ArchiveWriter } from "../../../src/base/archive/writer.ts";
import { forgetUpgrade, noteUpgrade, untoldUpgrade } from "../../../src/storage/store/version.ts";
import { type Task, TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { makeOlder } from "./older-data.ts";

const KEY = "a-master-key-of-16";
const OLDER = "0.0.9";
const UPGRADE = ["--upgrade-db"];

interface Page<T> {
  results: T[];
  total: number;
}

async function filled(): Promise<{ directory: string; version: string }> {
  const server = await TestServer.start({ key: KEY });
  await server.write("PATCH", "/indexes/books/settings", { filterableAttributes: ["year"], stopWords: ["the"] });
  const documents = Array.from({ length: 2000 }, (_, id) => ({ id, title: `the title ${id}`, year: 1900 + (id % 50) }));
  await server.write("POST", "/indexes/books/documents", documents);
  await server.request("POST", "/webhooks", { url: "http://hook.example/x" });
  await server.stop();
  return { directory: server.directory, version: readFileSync(path.join(server.directory, "db", "VERSION"), "utf8") };
}

const upgrades = async (server: TestServer): Promise<Page<Task>> =>
  (await server.request<Page<Task>>("GET", "/tasks?types=databaseUpgrade")).body;

test("data of an older version is upgraded when asked for, and a task tells of it", { timeout: 180_000 }, async () => {
  const { directory, version } = await filled();
  const database = path.join(directory, "db");
  await makeOlder(database, OLDER);
  const before = readdirSync(database).sort();
  await assert.rejects(
    TestServer.start({ directory, key: KEY }),
    /written by version 0\.0\.9; start with --upgrade-db/,
  );
  assert.equal(readFileSync(path.join(database, "VERSION"), "utf8"), OLDER);
  assert.deepEqual(readdirSync(database).sort(), before);

  const server = await TestServer.start({ directory, key: KEY, args: UPGRADE });
  const [told] = (await upgrades(server)).results;
  const task = await server.waitTask(told!.uid);
  assert.equal(task.type, "databaseUpgrade");
  assert.equal(task.status, "succeeded");
  assert.equal(task.indexUid, null);
  assert.deepEqual(task.details, { upgradeFrom: `v${OLDER}`, upgradeTo: `v${version}` });
  const found = await server.request<{ estimatedTotalHits: number }>("POST", "/indexes/books/search", {
    q: "title",
    filter: "year = 1907",
  });
  assert.equal(found.body.estimatedTotalHits, 40);
  assert.equal((await server.request<Page<Task>>("GET", "/tasks")).body.total, 3);
  assert.equal((await server.request<Page<object>>("GET", "/webhooks")).body.results.length, 1);
  assert.equal((await server.write("POST", "/indexes/books/documents", [{ id: 9999 }])).status, "succeeded");
  await server.stop();

  // It is data of this version now, with or without the option.
  const again = await TestServer.start({ directory, key: KEY, args: UPGRADE });
  assert.equal((await upgrades(again)).total, 1);
  assert.equal(existsSync(path.join(database, "UPGRADING")), false);
  await again.dispose();
});

test("an upgrade that was cut off before its task was durable is told of at the next start", async () => {
  const { directory, version } = await filled();
  noteUpgrade(path.join(directory, "db"), OLDER);
  const server = await TestServer.start({ directory, key: KEY });
  const [told] = (await upgrades(server)).results;
  assert.deepEqual(told?.details, { upgradeFrom: `v${OLDER}`, upgradeTo: `v${version}` });
  assert.equal(untoldUpgrade(path.join(directory, "db")), null);
  await server.dispose();
});

test("of several upgrades that nobody was told of, the first counts", () => {
  const folder = temporaryDirectory();
  assert.equal(untoldUpgrade(folder), null);
  noteUpgrade(folder, "0.0.8");
  noteUpgrade(folder, "0.0.9");
  assert.equal(untoldUpgrade(folder), "0.0.8");
  forgetUpgrade(folder);
  assert.equal(untoldUpgrade(folder), null);
});

test("an upgrade that finds an index which cannot be read fails and names it", { timeout: 180_000 }, async () => {
  const { directory } = await filled();
  const database = path.join(directory, "db");
  writeFileSync(path.join(database, "VERSION"), OLDER);
  for (const id of readdirSync(path.join(database, "indexes"))) {
    for (const file of readdirSync(path.join(database, "indexes", id))) {
      const segment = path.join(database, "indexes", id, file);
      const bytes = readFileSync(segment);
      // The number of the format, which no version has yet.
      bytes.writeUInt32LE(77, 8);
      writeFileSync(segment, bytes);
    }
  }
  const server = await TestServer.start({ directory, key: KEY, args: UPGRADE });
  const task = await server.waitTask((await upgrades(server)).results[0]!.uid);
  assert.equal(task.status, "failed");
  assert.match(task.error?.message ?? "", /`books` .*77/);
  await server.dispose();
});

test("a snapshot of an older version is taken when the upgrade is asked for", { timeout: 180_000 }, async () => {
  const { directory } = await filled();
  const database = path.join(directory, "db");
  await makeOlder(database, OLDER);
  const snapshot = path.join(directory, "older.snapshot");
  const archive = await ArchiveWriter.create(snapshot);
  const segments = readdirSync(path.join(database, "indexes"), { recursive: true, encoding: "utf8" });
  const files = segments.filter((name) => name.endsWith(".seg")).map((name) => path.join("indexes", name));
  for (const name of ["VERSION", "store/data.mdb", ...files]) await archive.addFile(name, path.join(database, name));
  await archive.finish();

  const args = ["--import-snapshot", snapshot];
  await assert.rejects(TestServer.start({ key: KEY, args }), /written by version 0\.0\.9; start with --upgrade-db/);
  const server = await TestServer.start({ key: KEY, args: [...args, ...UPGRADE] });
  assert.equal((await upgrades(server)).total, 1);
  const stats = await server.request<{ numberOfDocuments: number }>("GET", "/indexes/books/stats");
  assert.equal(stats.body.numberOfDocuments, 2000);
  await server.dispose();
});
