import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import fc from "fast-check";
import { threadFile } from "../../../src/base/bundle/threads.ts";
import type { TaskRecord } from "../../../src/base/contract/task.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { seal, unseal } from "../../../src/storage/store/seal.ts";
import { openStore } from "../../../src/storage/store/store.ts";
import { decodeTaskColumns, decodeTaskHead, headOf, taskCodecOver } from "../../../src/storage/store/task-record.ts";
import { compareVersion, readVersion, writeVersion } from "../../../src/storage/store/version.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { documentTask, task } from "../tasks/samples.ts";

const taskCodec = taskCodecOver({ get: () => undefined });

test("values come back as they were stored, also after reopening", async (t) => {
  const path = join(temporaryDirectory(), "store");
  const store = openStore(path);
  await store.write(() => {
    store.tasks.put(3, documentTask(3));
    store.payloads.put("3", Uint8Array.of(1, 2, 3));
    store.catalog.put("__proto__", { id: 1, createdAt: 5, updatedAt: 6 });
    store.manifests.put(9, Uint8Array.of(7, 7));
    store.meta.put("instanceUid", "abc");
  });
  await store.close();
  const again = openStore(path);
  t.after(() => again.close());
  assert.deepEqual(again.tasks.get(3), documentTask(3));
  assert.deepEqual(again.payloads.get("3"), Uint8Array.of(1, 2, 3));
  assert.deepEqual([...again.catalog.entries()], [["__proto__", { id: 1, createdAt: 5, updatedAt: 6 }]]);
  assert.deepEqual(again.manifests.get(9), Uint8Array.of(7, 7));
  assert.equal(again.meta.get("instanceUid"), "abc");
  assert.equal(again.tasks.lastKey(), 3);
  assert.equal(again.tasks.count(), 1);
  assert.ok(again.sizeBytes() > 0);
});

test("a write that throws half way leaves nothing behind", async (t) => {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  await assert.rejects(
    store.write(() => {
      store.meta.put("a", 1);
      throw new Error("half way");
    }),
    /half way/,
  );
  const tooLong = () => {
    store.meta.put("a", 1);
    store.meta.put("k".repeat(3000), 1);
  };
  await assert.rejects(store.write(tooLong), /key/);
  await store.write(() => store.meta.put("b", 2));
  assert.deepEqual([...store.meta.keys()], ["b"]);
});

test("tables refuse changes outside a write and writes inside a write", async (t) => {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  assert.throws(() => store.meta.put("a", 1), /only inside/);
  let inner: Promise<void> | null = null;
  await store.write(() => {
    inner = store.write(() => undefined);
  });
  await assert.rejects(inner!, /nested/);
});

test("ranges stop before their end", async (t) => {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  await store.write(() => {
    for (const uid of [1, 5, 70_000, 3_000_000_000]) store.pending.put(uid, true);
  });
  assert.deepEqual([...store.pending.keys()], [1, 5, 70_000, 3_000_000_000]);
  assert.deepEqual([...store.pending.keys({ start: 5, end: 3_000_000_000 })], [5, 70_000]);
  assert.equal(store.pending.lastKey(), 3_000_000_000);
});

test("the last key of a table may be its only one, and 0", async (t) => {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  assert.equal(store.pending.lastKey(), null);
  await store.write(() => store.pending.put(0, true));
  assert.equal(store.pending.lastKey(), 0);
});

test("a flipped bit in a record is noticed, and a record under another key or in another table", () => {
  const keys = fc.oneof(fc.nat(), fc.string({ minLength: 1 }));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), keys, keys, fc.nat(), (bytes, key, other, at) => {
      const stored = Uint8Array.from(seal("tasks", key, bytes));
      assert.deepEqual(new Uint8Array(unseal("tasks", key, stored)!), bytes);
      if (key !== other) assert.equal(unseal("tasks", other, stored), null);
      assert.equal(unseal("batches", key, stored), null);
      stored[at % stored.length]! ^= 1 << (at % 8);
      assert.equal(unseal("tasks", key, stored), null);
    }),
  );
});

test("task records survive their encoding, whole and in part", () => {
  const optional = (value: fc.Arbitrary<number>) => fc.option(value, { nil: null });
  fc.assert(
    fc.property(
      fc.record({
        uid: fc.nat(),
        indexUid: fc.option(fc.string({ minLength: 1, maxLength: 40 }), { nil: null }),
        status: fc.constantFrom("enqueued", "succeeded", "failed", "canceled"),
        batchUid: optional(fc.nat()),
        canceledBy: optional(fc.nat()),
        startedAt: optional(fc.nat()),
        finishedAt: optional(fc.nat()),
        customMetadata: fc.option(fc.string(), { nil: null }),
        details: fc.constantFrom<JsonObject | null>(null, {}, { text: "é\u0000" }),
      }),
      (parts) => {
        const record: TaskRecord = { ...task(0, { type: "documentDeletion", by: "ids", ids: ["a", "ü"] }), ...parts };
        const bytes = taskCodec.encode(record);
        assert.deepEqual(taskCodec.decode(bytes, record.uid), record);
        assert.deepEqual(decodeTaskHead(bytes, record.uid), headOf(record));
        const { details: _details, error: _error, customMetadata: _metadata, ...columns } = headOf(record);
        assert.deepEqual(decodeTaskColumns(bytes, record.uid), columns);
      },
    ),
  );
});

test("whatever resolved before a kill is there afterwards, and nothing is there in part", async (t) => {
  const path = join(temporaryDirectory(), "store");
  const script = fileURLToPath(new URL("./enqueue-forever.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, path], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line));
    if (acknowledged.length === 400) child.kill("SIGKILL");
  }
  const store = openStore(path);
  t.after(() => store.close());
  assert.ok(acknowledged.length >= 400);
  for (const uid of acknowledged) assert.deepEqual(store.tasks.get(uid), documentTask(uid));
  for (const uid of store.tasks.keys()) {
    assert.ok(store.pending.has(uid));
    assert.deepEqual(store.payloads.get(String(uid)), new Uint8Array(500).fill(uid & 255));
  }
});

test("a store that another process has written to takes nothing more from this one", async (t) => {
  const path = join(temporaryDirectory(), "store");
  const fenced: string[] = [];
  const store = openStore(path, { onFenced: (fault) => fenced.push(fault.message) });
  t.after(() => store.close());
  await store.write(() => store.meta.put("mine", 1));
  const script = fileURLToPath(new URL("./write-once.ts", import.meta.url));
  const other = spawn(process.execPath, ["--import", "tsx", script, path], { stdio: "inherit" });
  assert.deepEqual(await once(other, "exit"), [0, null]);
  await assert.rejects(
    store.write(() => store.meta.put("mine", 2)),
    /another server/,
  );
  await assert.rejects(
    store.write(() => store.meta.put("mine", 3)),
    /another server/,
  );
  assert.equal(fenced.length, 1);
  store.refresh();
  assert.deepEqual(
    [...store.meta.entries()],
    [
      ["mine", 1],
      ["theirs", 1],
    ],
  );
});

test("a thread that only waits for the store to settle stays until it has", async () => {
  const path = join(temporaryDirectory(), "store");
  const store = openStore(path);
  const thread = threadFile(import.meta.url, "./settled-worker");
  const { port1, port2 } = new MessageChannel();
  const workerData = { path, port: port2 };
  const worker = new Worker(thread.filename, { workerData, transferList: [port2], execArgv: thread.execArgv });
  const said: unknown[] = [];
  worker.on("message", (message) => {
    said.push(message);
    // It has nothing left to do by the time that it is answered.
    if (message === "opened") setTimeout(() => store.serve(port1), 300);
  });
  const [code] = (await once(worker, "exit")) as [number];
  assert.deepEqual({ code, said }, { code: 0, said: ["opened", "settled"] });
  await store.close();
});

test("two threads write at once, neither blocks the other's event loop, and each sees the other's commits", async () => {
  const path = join(temporaryDirectory(), "store");
  const store = openStore(path);
  const thread = threadFile(import.meta.url, "./writer-worker");
  const { port1, port2 } = new MessageChannel();
  store.serve(port1);
  const workerData = { path, port: port2 };
  const worker = new Worker(thread.filename, { workerData, transferList: [port2], execArgv: thread.execArgv });
  const done = once(worker, "message");
  worker.postMessage({ from: 0, count: 300 });
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 15 }, (_, i) => store.write(() => store.pending.put(round * 15 + i, true))));
  }
  store.manifests.has(0);
  await done;
  clearInterval(ticking);
  store.refresh();
  assert.equal(store.manifests.count(), 300);
  assert.equal(store.pending.count(), 300);
  assert.equal(Buffer.from(store.manifests.get(299)!).toString(), "manifest 299");
  assert.ok(ticks > 0);
  worker.postMessage("close");
  await once(worker, "exit");
  await store.close();
});

test("the VERSION file says which release wrote a directory", () => {
  const path = temporaryDirectory();
  assert.equal(readVersion(path), null);
  assert.equal(compareVersion(null, "1.2.3"), "new");
  writeVersion(path, "1.2.3");
  assert.equal(readVersion(path), "1.2.3");
  assert.equal(compareVersion("1.2.3", "1.2.3"), "same");
  assert.equal(compareVersion("1.2.3", "1.10.0"), "older");
  assert.equal(compareVersion("2.0.0", "1.10.0"), "newer");
  assert.throws(() => compareVersion("rubbish", "1.0.0"), /not a version/);
});

test("a store whose files cannot be opened is refused by name, again and again, and opened when they can be", async () => {
  const path = join(temporaryDirectory(), "store");
  const store = openStore(path);
  await store.write(() => store.meta.put("a", 1));
  await store.close();
  const lock = join(path, "lock.mdb");
  rmSync(lock);
  mkdirSync(lock);
  for (let i = 0; i < 20; i++) assert.throws(() => openStore(path), /EISDIR.*lock\.mdb/);
  rmdirSync(lock);
  const again = openStore(path);
  assert.equal(again.meta.get("a"), 1);
  await again.close();
});
