import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readArchive } from "../../src/base/archive/reader.ts";
import { until } from "../lib/patience.ts";
import { type Task, TestServer } from "../lib/server.ts";
import { type TarEntry, tarball } from "../lib/tar.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

const KEY = "a-master-key-of-16";

interface Page<T> {
  results: T[];
  total: number;
}

async function dump(server: TestServer): Promise<string> {
  const task = await server.write("POST", "/dumps");
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
  assert.match(String(task.details?.["dumpUid"]), /^\d{8}-\d{9}$/);
  const file = path.join(server.directory, "dumps", `${task.details?.["dumpUid"]}.dump`);
  assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)]);
  return file;
}

/** Everything a client can see of a server, but for what moves by itself. */
async function visible(server: TestServer): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const url of [
    "/indexes?limit=100",
    "/keys",
    "/experimental-features",
    "/network",
    "/webhooks",
    "/chats",
    "/chats/helper/settings",
    "/tasks?limit=1000",
    "/batches?limit=1000",
    "/indexes/books/settings",
    "/indexes/books/documents?limit=100000",
    "/indexes/empty/settings",
  ]) {
    seen[url] = (await server.request("GET", url)).body;
  }
  return seen;
}

test("a server started from a dump shows what the dumped one showed", { timeout: 180_000 }, async () => {
  const server = await TestServer.start({ key: KEY });
  const features = { network: true, chatCompletions: true, dynamicSearchRules: true };
  await server.request("PATCH", "/experimental-features", features);
  await server.request("PATCH", "/network", { self: "me", remotes: { you: { url: "http://you.example" } } });
  await server.request("PATCH", "/chats/helper/settings", { apiKey: "secret-key-of-the-model", source: "openAi" });
  await server.request("POST", "/webhooks", { url: "http://hook.example/x", headers: { authorization: "Bearer abc" } });
  await server.request("POST", "/keys", { actions: ["search"], indexes: ["books"], expiresAt: null, name: "mine" });
  await server.write("POST", "/indexes", { uid: "empty", primaryKey: "reference" });
  await server.write("PATCH", "/indexes/books/settings", {
    filterableAttributes: ["year", { attributePatterns: ["tag*"], features: { facetSearch: true } }],
    synonyms: { big: ["large"] },
    rankingRules: ["words", "year:desc"],
    stopWords: ["the"],
  });
  const documents = Array.from({ length: 5000 }, (_, id) => ({ title: `title ${id}`, id, year: 1900 + (id % 100) }));
  await server.write("POST", "/indexes/books/documents", documents);
  await server.write("POST", "/indexes/books/documents", [{ year: 5, id: 17, late: { a: [1.5, "é\n"] } }]);
  await server.write("DELETE", "/indexes/books/documents/3");
  await server.write("POST", "/indexes/books/documents", [{ other: 1, id: 9000 }]);
  assert.equal((await server.write("POST", "/indexes/books/documents", [{ nothing: 1 }])).status, "failed");
  const file = await dump(server);
  const before = await visible(server);

  const other = await TestServer.start({ key: KEY, args: ["--import-dump", file] });
  const after = await visible(other);
  const key = "/tasks?limit=1000";
  const [own, loaded] = [before[key], after[key]] as [Page<Task>, Page<Task>];
  // The dump was not finished when it was written: its own task has other times in it.
  assert.deepEqual(loaded.results.slice(1), own.results.slice(1));
  assert.deepEqual(loaded.results[0]?.details, own.results[0]?.details);
  assert.equal(loaded.results[0]?.status, "succeeded");
  for (const url of Object.keys(before)) {
    if (url !== key && !url.startsWith("/batches")) assert.deepEqual(after[url], before[url], url);
  }
  const batches = [before, after].map((seen) => (seen["/batches?limit=1000"] as Page<object>).results.slice(1));
  assert.deepEqual(batches[1], batches[0]);

  const filtered = await other.request<Page<{ id: number }>>("GET", "/indexes/books/documents?filter=year%20%3D%205");
  assert.deepEqual(
    filtered.body.results.map(({ id }) => id),
    [17],
  );
  const added = await other.write("POST", "/indexes/books/documents", [{ id: 1 }]);
  assert.equal(added.uid, own.results[0]!.uid + 1);
  assert.equal(await other.stop(), 0);

  // What was loaded is a database like any other.
  const again = { directory: other.directory, key: KEY };
  await assert.rejects(TestServer.start({ ...again, args: ["--import-dump", file] }), /exists already/);
  const kept = await TestServer.start({ ...again, args: ["--import-dump", file, "--ignore-dump-if-db-exists"] });
  const stats = await kept.request<{ numberOfDocuments: number }>("GET", "/indexes/books/stats");
  assert.equal(stats.body.numberOfDocuments, 5000);
  await kept.dispose();
  await server.dispose();
});

// Other servers of the interface look into this folder whether or not there is an index.
test("the dump of an empty server has all that others need to load it", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const names: string[] = [];
  for await (const { name, kind } of readArchive(await dump(server))) names.push(kind === "folder" ? `${name}/` : name);
  for (const needed of ["metadata.json", "keys.jsonl", "tasks/queue.jsonl", "batches/queue.jsonl", "indexes/"]) {
    assert.ok(names.includes(needed), needed);
  }
  await server.dispose();
});

test("tasks that wait when the dump is made are run by the server that loads it", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  await server.write("POST", "/indexes", { uid: "a", primaryKey: "id" });
  const many = Array.from({ length: 30_000 }, (_, id) => ({ id, text: `words ${id} `.repeat(10) }));
  // A dump goes before documents in the queue; the first import may already run when it comes.
  const requests = [
    server.request<{ taskUid: number }>("POST", "/indexes/a/documents", many),
    server.request<{ taskUid: number }>("POST", "/dumps"),
    server.request<{ taskUid: number }>("PUT", "/indexes/a/documents", '[ {"id": 1,\n "small": true} ]'),
    server.request<{ taskUid: number }>("POST", "/indexes/a/documents/delete-batch", ["2"]),
    server.request<{ taskUid: number }>("PATCH", "/indexes/a/settings", { stopWords: ["the"] }),
  ];
  const uids = (await Promise.all(requests)).map(({ body }) => body.taskUid);
  const made = await server.waitTask(uids[1]!);
  const file = path.join(server.directory, "dumps", `${made.details?.["dumpUid"]}.dump`);
  const other = await TestServer.start({ args: ["--import-dump", file] });
  const { body } = await other.request<Page<Task>>("GET", "/tasks");
  for (const { uid } of body.results) assert.equal((await other.waitTask(uid)).status, "succeeded");
  for (const { uid } of body.results) await server.waitTask(uid);
  if (body.total === 6) {
    const [expected, found] = await Promise.all(
      [server, other].map((one) => one.request("GET", "/indexes/a/documents?limit=3")),
    );
    assert.deepEqual(found?.body, expected?.body);
  }
  await other.dispose();
  await server.dispose();
});

test("a dump written by another server of the same form is loaded", { timeout: 180_000 }, async () => {
  const folder = temporaryDirectory();
  const files: Record<string, string> = {
    "metadata.json": '{"dumpVersion":"V6","dbVersion":"1.13.0","dumpDate":"2025-02-04T10:22:31.331764736Z"}',
    "instance_uid.uuid": "972b0d34-a73b-4b37-9a06-eac9af32c9b3",
    "keys.jsonl":
      '{"description":null,"name":"Search","uid":"42092c55-5496-4579-8a51-768ad7866998","actions":["search"],"indexes":["*"],' +
      '"expires_at":null,"created_at":"2025-02-04T10:14:11.442986832Z","updated_at":"2025-02-04T10:14:11.442986832Z"}\n',
    "experimental-features.json": '{"metrics":false,"containsFilter":true,"unheardOf":true}',
    "webhooks.json":
      '{"webhooks":{"627ea538-733d-4545-8d2d-03526eb381ce":{"url":"https://example.com/a","headers":{}}}}',
    "tasks/queue.jsonl": [
      '{"uid":0,"batchUid":null,"indexUid":"milk","status":"succeeded","type":{"indexCreation":{"primary_key":null}},' +
        '"details":{"IndexInfo":{"primary_key":null}},"enqueuedAt":"2025-02-04T10:14:43.550379968Z",' +
        '"startedAt":"2025-02-04T10:14:43.559526162Z","finishedAt":"2025-02-04T10:14:43.592428348Z"}',
      '{"uid":1,"indexUid":"milk","status":"succeeded","type":{"settings":{"settings":{"stopWords":["a"]},"is_deletion":false,' +
        '"allow_index_creation":true}},"details":{"SettingsUpdate":{"settings":{"stopWords":["a"]}}},' +
        '"enqueuedAt":"2025-02-04T10:15:21.25Z","startedAt":"2025-02-04T10:15:21.27Z","finishedAt":"2025-02-04T10:15:21.42Z"}',
      '{"uid":2,"indexUid":"milk","status":"enqueued","type":{"documentImport":{"primary_key":null,' +
        '"method":"ReplaceDocuments","documents_count":1,"allow_index_creation":true}},' +
        '"details":{"DocumentAdditionOrUpdate":{"received_documents":1,"indexed_documents":null}},' +
        '"enqueuedAt":"2025-02-04T10:15:49.212484063Z"}',
      '{"uid":3,"indexUid":"milk","status":"enqueued","type":"documentNovelty","details":null,' +
        '"enqueuedAt":"2025-02-04T10:15:49.3Z"}',
    ].join("\n"),
    "tasks/update_files/2.jsonl": '{"id":2,"dog":"intel"}\n',
    "batches/queue.jsonl":
      '{"uid":0,"details":{},"stats":{"totalNbTasks":1,"status":{"succeeded":1},"types":{"indexCreation":1},' +
      '"indexUids":{"milk":1}},"startedAt":"2025-02-04T10:14:43.559526162Z","finishedAt":"2025-02-04T10:14:43.592428348Z"}\n',
    "indexes/milk/metadata.json":
      '{"uid":"milk","primaryKey":"id","createdAt":"2025-02-04T10:14:43.560230749Z","updatedAt":"2025-02-04T10:15:21.391248252Z"}',
    "indexes/milk/settings.json":
      '{"stopWords":["a"],"localizedAttributes":null,"filterableAttributes":["dog"],"soon":1}',
    "indexes/hub/metadata.json": '{"uid":"hub","primaryKey":null}',
    "indexes/hub/settings.json":
      '{"embedders":{"e":{"source":"huggingFace","model":"a/b"}},"embedderDimensions":{"e":3}}',
    "indexes/milk/documents.jsonl": '{"id":1,"dog":"milk"}\n{"id":7,"dog":"whey"}',
  };
  const folders = ["", "tasks/", "tasks/update_files/", "batches/", "indexes/", "indexes/milk/", "indexes/hub/"];
  const entries = folders.map((name): TarEntry => ({ name: `./${name}` }));
  for (const [name, content] of Object.entries(files)) entries.push({ name: `./${name}`, content });
  const file = path.join(folder, "other.dump");
  writeFileSync(file, tarball(entries));
  const server = await TestServer.start({ directory: folder, args: ["--import-dump", file] });
  assert.equal((await server.waitTask(2)).status, "succeeded");
  const documents = await server.request<Page<object>>("GET", "/indexes/milk/documents");
  assert.deepEqual(documents.body.results, [
    { id: 1, dog: "milk" },
    { id: 7, dog: "whey" },
    { id: 2, dog: "intel" },
  ]);
  const index = await server.request<{ createdAt: string; primaryKey: string }>("GET", "/indexes/milk");
  assert.equal(index.body.createdAt, "2025-02-04T10:14:43.56023Z");
  assert.equal(index.body.primaryKey, "id");
  const tasks = await server.request<Page<Task>>("GET", "/tasks?reverse=true");
  assert.deepEqual(
    tasks.body.results.map(({ uid, type, details }) => ({ uid, type, details })),
    [
      { uid: 0, type: "indexCreation", details: { primaryKey: null } },
      { uid: 1, type: "settingsUpdate", details: { stopWords: ["a"] } },
      { uid: 2, type: "documentAdditionOrUpdate", details: { receivedDocuments: 1, indexedDocuments: 1 } },
    ],
  );
  // Such tasks do not name their batch; when it began tells which it was.
  assert.equal(tasks.body.results[0]?.batchUid, 0);
  const batches = await server.request<Page<{ uid: number }>>("GET", "/batches?uids=0");
  assert.equal(batches.body.total, 1);
  const flags = await server.request<Record<string, boolean>>("GET", "/experimental-features");
  assert.equal(flags.body["containsFilter"], true);
  const hub = await server.request<{ e: { pooling: string } }>("GET", "/indexes/hub/settings/embedders");
  assert.equal(hub.body.e.pooling, "forceMean");
  assert.match(server.output, /1 tasks of the dump cannot be restored/);
  await server.dispose();
});

test("a dump that is missing, damaged or of another version stops the start", { timeout: 180_000 }, async () => {
  const directory = temporaryDirectory();
  const file = path.join(directory, "a.dump");
  await assert.rejects(TestServer.start({ directory, args: ["--import-dump", file] }), /there is no file/);
  writeFileSync(file, "no dump at all");
  await assert.rejects(TestServer.start({ directory, args: ["--import-dump", file] }), /cannot be imported/);
  await assert.rejects(TestServer.start({ directory }), /did not finish/);
  writeFileSync(file, tarball([{ name: "metadata.json", content: '{"dumpVersion":"V7"}' }]));
  await assert.rejects(TestServer.start({ directory, args: ["--import-dump", file] }), /only V1 to V6/);
  const fresh = temporaryDirectory();
  const args = ["--import-dump", path.join(fresh, "b.dump"), "--ignore-missing-dump"];
  const server = await TestServer.start({ directory: fresh, args });
  assert.equal((await server.request<Page<object>>("GET", "/indexes")).body.total, 0);
  await server.dispose();
});

test("an import that is cut off is refused, or done anew", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const many = Array.from({ length: 20_000 }, (_, id) => ({ id, text: `words ${id} `.repeat(10) }));
  await server.write("POST", "/indexes/a/documents", many);
  const file = await dump(server);
  const directory = temporaryDirectory();
  const database = path.join(directory, "db");
  for (const folder of ["unpacked-dump", "store", "indexes"]) {
    const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
    const args = ["--db-path", database, "--http-addr", "127.0.0.1:0", "--import-dump", file];
    const child = spawn(process.execPath, [main, ...args], { stdio: "ignore", cwd: directory });
    await until(
      () => existsSync(path.join(database, folder)) || child.exitCode !== null,
      () => `${folder} is there`,
      { firstMs: 1, mostMs: 1 },
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    await assert.rejects(TestServer.start({ directory }), /did not finish/, folder);
  }
  const started = await TestServer.start({ directory, args: ["--import-dump", file] });
  const stats = await started.request<{ numberOfDocuments: number }>("GET", "/indexes/a/stats");
  assert.equal(stats.body.numberOfDocuments, many.length);
  assert.equal(existsSync(path.join(database, "unpacked-dump")), false);
  await started.dispose();
  await server.dispose();
});
