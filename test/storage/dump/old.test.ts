/** Dumps of every version that the interface imports: "Dumps of every version the reference imports (v1 to v6)". */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Task, TestServer } from "../../lib/server.ts";
import { tarball } from "../../lib/tar.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { DOCUMENTS, dumpV1, dumpV2, dumpV3, dumpV4Or5, WAITING } from "./old-dumps.ts";

const KEY = "a-master-key-of-16";

interface Page<T> {
  results: T[];
}

async function started(dump: Buffer): Promise<TestServer> {
  const directory = temporaryDirectory();
  const file = path.join(directory, "old.dump");
  writeFileSync(file, dump);
  return TestServer.start({ directory, key: KEY, args: ["--import-dump", file] });
}

async function tasksOf(server: TestServer): Promise<unknown[]> {
  const { body } = await server.request<Page<Task>>("GET", "/tasks?reverse=true");
  return body.results.map(({ uid, indexUid, status, type, details, error }) => {
    return [uid, indexUid, status, type, details, error?.code ?? null];
  });
}

async function documentsOf(server: TestServer, uid: string): Promise<unknown[]> {
  return (await server.request<Page<object>>("GET", `/indexes/${uid}/documents`)).body.results;
}

async function settingsOf(server: TestServer): Promise<Record<string, unknown>> {
  return (await server.request<Record<string, unknown>>("GET", "/indexes/books/settings")).body;
}

async function datesOf(server: TestServer): Promise<unknown> {
  const { body } = await server.request<Record<string, unknown>>("GET", "/indexes/books");
  const { uid, primaryKey, createdAt, updatedAt } = body;
  return { uid, primaryKey, createdAt, updatedAt };
}

const at = (second: number): string => `2022-10-06T12:00:0${second}.123456Z`;

test("a dump of version 1", { timeout: 180_000 }, async () => {
  const server = await started(dumpV1());
  assert.deepEqual(await documentsOf(server, "books"), DOCUMENTS);
  assert.deepEqual(await datesOf(server), { uid: "books", primaryKey: "id", createdAt: at(0), updatedAt: at(9) });
  const settings = await settingsOf(server);
  assert.deepEqual(settings["rankingRules"], ["typo", "words", "exactness", "year:desc"]);
  assert.deepEqual(settings["filterableAttributes"], ["year"]);
  assert.deepEqual(settings["sortableAttributes"], ["year"]);
  assert.deepEqual(settings["synonyms"], { big: ["large"] });
  assert.deepEqual(await tasksOf(server), [
    [0, "books", "succeeded", "documentAdditionOrUpdate", { receivedDocuments: 2, indexedDocuments: 2 }, null],
    [
      1,
      "books",
      "failed",
      "settingsUpdate",
      { stopWords: null, rankingRules: ["typo", "year:desc"] },
      "index_primary_key_no_candidate_found",
    ],
    [
      2,
      "books",
      "succeeded",
      "documentDeletion",
      { providedIds: 0, deletedDocuments: null, originalFilter: null },
      null,
    ],
  ]);
  const first = (await server.request<{ startedAt: string; finishedAt: string }>("GET", "/tasks/0")).body;
  assert.deepEqual([first.startedAt, first.finishedAt], ["2022-10-06T12:00:02.623456Z", at(3)]);
  assert.match(server.output, /had not run/);
  assert.match(server.output, /`wordsPosition`/);
  await server.dispose();
});

test("a dump of version 2, whose waiting update has its documents as one list", { timeout: 180_000 }, async () => {
  const server = await started(dumpV2());
  assert.equal((await server.waitTask(4)).status, "succeeded");
  assert.deepEqual(await documentsOf(server, "books"), DOCUMENTS);
  assert.deepEqual(await documentsOf(server, "later"), WAITING);
  assert.deepEqual(await datesOf(server), { uid: "books", primaryKey: "id", createdAt: at(3), updatedAt: at(4) });
  const settings = await settingsOf(server);
  assert.deepEqual(settings["rankingRules"], ["words", "year:desc"]);
  assert.deepEqual(settings["pagination"], { maxTotalHits: 1 });
  assert.deepEqual(await tasksOf(server), [
    [0, "books", "succeeded", "documentAdditionOrUpdate", { receivedDocuments: 0, indexedDocuments: 2 }, null],
    [1, "books", "succeeded", "settingsUpdate", { rankingRules: ["year:asc"] }, null],
    [
      2,
      "books",
      "failed",
      "documentDeletion",
      { providedIds: 2, deletedDocuments: 0, originalFilter: null },
      "invalid_store_file",
    ],
    [
      3,
      "books",
      "failed",
      "documentDeletion",
      { providedIds: 0, deletedDocuments: 0, originalFilter: null },
      "unretrievable_error_code",
    ],
    [4, "later", "succeeded", "documentAdditionOrUpdate", { receivedDocuments: 0, indexedDocuments: 1 }, null],
  ]);
  await server.dispose();
});

test("a dump of version 3", { timeout: 180_000 }, async () => {
  const server = await started(dumpV3());
  assert.equal((await server.waitTask(0)).status, "succeeded");
  assert.deepEqual(await documentsOf(server, "books"), DOCUMENTS);
  assert.deepEqual(await documentsOf(server, "later"), WAITING);
  assert.deepEqual(await tasksOf(server), [
    [0, "later", "succeeded", "documentAdditionOrUpdate", { receivedDocuments: 0, indexedDocuments: 1 }, null],
    [1, "books", "succeeded", "documentAdditionOrUpdate", { receivedDocuments: 0, indexedDocuments: 2 }, null],
    [2, "books", "succeeded", "documentDeletion", { providedIds: 0, deletedDocuments: 5, originalFilter: null }, null],
    [3, "books", "succeeded", "documentDeletion", { providedIds: 1, deletedDocuments: 1, originalFilter: null }, null],
    [4, "books", "failed", "settingsUpdate", { stopWords: ["a"] }, "index_primary_key_no_candidate_found"],
  ]);
  await server.dispose();
});

for (const version of ["V4", "V5"] as const) {
  test(`a dump of version ${version}, with keys and an instance`, { timeout: 180_000 }, async () => {
    const server = await started(dumpV4Or5(version));
    assert.equal((await server.waitTask(6)).status, "succeeded");
    assert.deepEqual(await documentsOf(server, "books"), DOCUMENTS);
    assert.deepEqual(await documentsOf(server, "later"), WAITING);
    assert.deepEqual(await datesOf(server), { uid: "books", primaryKey: "id", createdAt: at(1), updatedAt: at(3) });
    assert.deepEqual(await tasksOf(server), [
      [0, "books", "succeeded", "documentAdditionOrUpdate", { receivedDocuments: 2, indexedDocuments: 2 }, null],
      [1, "books", "succeeded", "settingsUpdate", { stopWords: ["a"] }, null],
      [
        2,
        "books",
        "succeeded",
        "documentDeletion",
        { providedIds: 1, deletedDocuments: null, originalFilter: null },
        null,
      ],
      [3, "gone", "succeeded", "indexDeletion", { deletedDocuments: 4 }, null],
      // The dump that was being made when it was written is not made again.
      ...(version === "V5" ? [[4, null, "succeeded", "dumpCreation", { dumpUid: "20221006-120007000" }, null]] : []),
      [5, "books", "failed", "indexUpdate", { primaryKey: "id" }, "index_primary_key_no_candidate_found"],
      [6, "later", "succeeded", "documentAdditionOrUpdate", { receivedDocuments: 1, indexedDocuments: 1 }, null],
    ]);
    const keys = await server.request<Page<{ uid: string; name: string | null; actions: string[] }>>("GET", "/keys");
    const key = keys.body.results.find(({ actions }) => actions.includes("dumps.create"));
    assert.deepEqual(key?.actions, ["search", "dumps.create"]);
    assert.match(key?.uid ?? "", version === "V5" ? /^192e54ae-/ : /^[\da-f-]{36}$/);
    assert.equal(key?.name, version === "V5" ? "n" : null);
    await server.dispose();
  });
}

test("an old dump that leads elsewhere, or holds an index twice, is refused", { timeout: 180_000 }, async () => {
  const metadata = (indexes: object[]) => ({
    name: "metadata.json",
    content: JSON.stringify({ dumpVersion: "V1", dbVersion: "0.20.0", indexes }),
  });
  const [books, outside] = [{ uid: "books" }, { uid: "../../etc" }];
  await assert.rejects(started(tarball([metadata([books, books])])), /index `books` twice/);
  await assert.rejects(started(tarball([metadata([outside])])), /invalid uid/);
  await assert.rejects(started(tarball([metadata([]), { name: "../x", content: "" }])), /unacceptable name/);
  await assert.rejects(started(tarball([{ name: "metadata.json", content: '{"dumpVersion":"V7"}' }])), /only V1 to V6/);
});
