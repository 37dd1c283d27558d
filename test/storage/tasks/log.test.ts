import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { TaskRecord } from "../../../src/base/contract/task.ts";
import { openStore } from "../../../src/storage/store/store.ts";
import { taskCodecOver } from "../../../src/storage/store/task-record.ts";
import type { Batch } from "../../../src/storage/tasks/batch.ts";
import { EVERY_TASK, NO_FILTER } from "../../../src/storage/tasks/filter.ts";
import { TaskLog, type TaskLogOptions } from "../../../src/storage/tasks/log.ts";
import { pendingTasks } from "../../../src/storage/tasks/pending.ts";
import {
  type FinishedBatch,
  finishBatch,
  finishSwap,
  finishTaskDeletions,
  saveFinished,
  startBatch,
} from "../../../src/storage/tasks/results.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { importContent, stored } from "./samples.ts";

const taskCodec = taskCodecOver({ get: () => undefined });

const PAGE = { limit: 20, from: null, reverse: false };

function openLog(t: { after(fn: () => Promise<void>): void }, options: Partial<TaskLogOptions> = {}) {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  const announced: TaskRecord[] = [];
  const log = new TaskLog(store, { onEnqueued: (uid) => announced.push(store.tasks.get(uid)!), ...options });
  return { store, log, announced };
}

function documents(tasks: TaskRecord[]): Batch {
  return {
    kind: "documents",
    indexUid: "a",
    tasks,
    strategy: "because",
    primaryKey: null,
    allowIndexCreation: true,
    onlyDeletions: false,
  };
}

test("tasks get consecutive uids, are announced in order and are found after a restart", async (t) => {
  const { store, log, announced } = openLog(t);
  const swap = { type: "indexSwap", swaps: [{ indexes: ["a", "b"] as [string, string], rename: false }] } as const;
  await Promise.all([
    ...Array.from({ length: 50 }, () => log.enqueue(importContent(), "a", { payload: Uint8Array.of(1, 2) })),
    log.enqueue({ type: swap.type, swaps: [...swap.swaps] }, null, { customMetadata: "m" }),
  ]);
  assert.deepEqual(
    announced.map((task) => task.uid),
    Array.from({ length: 51 }, (_, uid) => uid),
  );
  assert.deepEqual(announced[7]!.content, importContent({ payload: { kind: "inline", name: "7", bytes: 2 } }));
  assert.deepEqual(store.payloads.get("7"), Uint8Array.of(1, 2));
  assert.deepEqual([...pendingTasks(store)], announced);

  const again = new TaskLog(store, { onEnqueued: () => undefined });
  const restricted = { all: false, allowsIndex: (uid: string) => uid === "a" };
  assert.equal(again.list(NO_FILTER, PAGE, EVERY_TASK).total, 51);
  assert.equal(again.list(NO_FILTER, PAGE, restricted).total, 50);
  assert.equal(again.get(50, restricted), null);
  assert.equal(again.get(50)!.customMetadata, "m");
  assert.equal((await again.enqueue(importContent(), "a")).uid, 51);
});

test("a committed batch shows as processing until it is published", async (t) => {
  const { store, log } = openLog(t);
  const task = await log.enqueue(importContent(), "a");
  const batch = documents([task]);
  const started = startBatch(batch, 0, 10);
  log.onStarted(started);
  log.onProgress(0, [{ currentStep: "indexing", finished: 1, total: 2 }]);
  assert.equal(log.get(0)!.status, "processing");
  assert.equal(log.getBatch(0)!.progress!.length, 1);
  assert.deepEqual(log.listBatches(NO_FILTER, PAGE, EVERY_TASK).results.length, 1);

  const done = finishBatch(batch, started, [{ status: "succeeded", details: { indexedDocuments: 1 } }], 20);
  const event = await stored(store, done);
  const hidden = log.get(0)!;
  assert.equal(hidden.status, "processing");
  assert.equal(hidden.finishedAt, null);
  assert.deepEqual(hidden.details, { receivedDocuments: 1, indexedDocuments: null });
  assert.equal(log.getBatch(0)!.batch.finishedAt, null);
  assert.ok(log.waitingDocuments(0) !== null);

  log.onFinished(event);
  const shown = log.get(0)!;
  assert.equal(shown.status, "succeeded");
  assert.deepEqual(shown.details, { receivedDocuments: 1, indexedDocuments: 1 });
  assert.equal(log.getBatch(0)!.progress, null);
  assert.equal(log.getBatch(0)!.batch.finishedAt, 20);
  assert.equal(log.waitingDocuments(0), null);
  assert.equal(log.getBatch(0, { all: false, allowsIndex: () => false }), null);
});

test("of batches that began, the tasks of those that are stored are found", async (t) => {
  const { store, log } = openLog(t);
  const kept = documents([await log.enqueue(importContent(), "a")]);
  const given = documents([await log.enqueue(importContent(), "b")]);
  const begun = [startBatch(kept, 0, 10), startBatch(given, 1, 11)];
  for (const batch of begun) log.onStarted(batch);
  await store.write(() => saveFinished(store, finishBatch(kept, begun[0]!, [{ status: "succeeded" }], 20)));
  log.onAborted("all");
  assert.deepEqual(log.finishedIn(begun), [], "not before it shows");
  log.onWriterReplaced();
  assert.deepEqual(
    log.finishedIn(begun).map(({ uid, status }) => [uid, status]),
    [[0, "succeeded"]],
  );
  // The next writer gives the uid of a batch that was given up again.
  assert.deepEqual(log.finishedIn([{ uid: 0, startedAt: 9 }]), []);
});

test("the tasks of an aborted batch wait again", async (t) => {
  const { log } = openLog(t);
  const task = await log.enqueue(importContent(), "a");
  log.onStarted(startBatch(documents([task]), 0, 10));
  log.onAborted(0);
  assert.equal(log.get(0)!.status, "enqueued");
  assert.equal(log.get(0)!.batchUid, null);
  assert.equal(log.getBatch(0), null);
});

test("deleted tasks are gone and swapped indexes change names", async (t) => {
  const { store, log } = openLog(t);
  const first = await log.enqueue(importContent(), "a");
  const other = await log.enqueue(importContent(), "b");
  const run = async (batch: Batch, uid: number, finish: (started: ReturnType<typeof startBatch>) => FinishedBatch) => {
    const started = startBatch(batch, uid, 10);
    log.onStarted(started);
    log.onFinished(await stored(store, finish(started)));
  };
  const batch = documents([first]);
  await run(batch, 0, (started) => finishBatch(batch, started, [{ status: "succeeded" }], 20));

  const swap = await log.enqueue({ type: "indexSwap", swaps: [{ indexes: ["a", "b"], rename: false }] }, null);
  const swapBatch: Batch = { kind: "indexSwap", tasks: [swap], strategy: "s" };
  await run(swapBatch, 1, (started) => finishSwap(swapBatch, started, 30));
  assert.equal(log.get(first.uid)!.indexUid, "b");
  assert.equal(log.get(other.uid)!.indexUid, "a");
  const ofA = log.list({ ...NO_FILTER, indexUids: ["a"] }, PAGE, EVERY_TASK);
  assert.deepEqual([ofA.results, ofA.total], [[1], 2]);
  const later = await log.enqueue({ type: "indexSwap", swaps: [{ indexes: ["b", "c"], rename: false }] }, null);
  const laterBatch: Batch = { kind: "indexSwap", tasks: [later], strategy: "s" };
  await run(laterBatch, 2, (started) => finishSwap(laterBatch, started, 35));
  assert.deepEqual(log.get(swap.uid)!.details, { swaps: [{ indexes: ["a", "c"], rename: false }] });
  assert.deepEqual(log.get(later.uid)!.details, { swaps: [{ indexes: ["b", "c"], rename: false }] });
  const counted = (index: string) => log.list({ ...NO_FILTER, indexUids: [index] }, PAGE, EVERY_TASK).total;
  assert.deepEqual([counted("a"), counted("b"), counted("c")], [2, 1, 3]);
  const gone = await log.enqueue({ type: "indexSwap", swaps: [{ indexes: ["c", "z"], rename: true }] }, null);
  const goneBatch: Batch = { kind: "indexSwap", tasks: [gone], strategy: "s" };
  await run(goneBatch, 3, (started) => finishSwap(goneBatch, started, 36));
  assert.deepEqual(log.get(swap.uid)!.details, { swaps: [{ indexes: ["a", "z"], rename: false }] });
  assert.deepEqual([counted("c"), counted("z")], [3, 4]);

  const matchedUids = log.match({ ...NO_FILTER, statuses: ["succeeded"], indexUids: ["z"] }, EVERY_TASK);
  assert.deepEqual(matchedUids, [0]);
  const deletion = await log.enqueue({ type: "taskDeletion", matchedUids, originalFilter: "?" }, null);
  const deletions: Batch = { kind: "taskDeletions", tasks: [deletion], strategy: "s" };
  await run(deletions, 4, (started) => finishTaskDeletions(deletions, started, store, 40));
  assert.equal(log.get(0), null);
  assert.equal(log.getBatch(0), null);
  assert.deepEqual(log.listBatches(NO_FILTER, PAGE, EVERY_TASK).results, [4, 3, 2, 1]);
});

test("a full store takes only what frees it", async (t) => {
  const { log } = openLog(t, { storeBytesMax: -1 });
  await assert.rejects(log.enqueue(importContent(), "a"), { code: "no_space_left_on_device" });
  const nothing = { type: "taskDeletion", matchedUids: [], originalFilter: "?" } as const;
  await assert.rejects(log.enqueue({ ...nothing, matchedUids: [] }, null), { code: "no_space_left_on_device" });
  assert.equal((await log.enqueue({ ...nothing, matchedUids: [5] }, null)).uid, 0);
});

test("too many stored tasks bring about one deletion of the oldest finished ones", async (t) => {
  const { store, log, announced } = openLog(t, { tasksStored: 5, tasksDeletedAtOnce: 3 });
  const tasks = await Promise.all(Array.from({ length: 4 }, () => log.enqueue(importContent(), "a")));
  const batch = documents(tasks);
  const started = startBatch(batch, 0, 10);
  log.onStarted(started);
  const done = finishBatch(
    batch,
    started,
    tasks.map(() => ({ status: "succeeded" })),
    20,
  );
  log.onFinished(await stored(store, done));
  for (let i = 0; i < 4; i++) await log.enqueue(importContent(), "a");
  const deletions = announced.filter((task) => task.content.type === "taskDeletion");
  assert.equal(deletions.length, 1);
  const { content } = deletions[0]!;
  assert.ok(content.type === "taskDeletion");
  assert.deepEqual(content.matchedUids, [0, 1, 2]);
  assert.match(content.originalFilter, /^\?beforeEnqueuedAt=.*Z&statuses=succeeded,failed,canceled$/);
});

test("batches that another server runs show until what came of them does, and tasks of one that was given up wait again", async (t) => {
  const { store, log } = openLog(t);
  const tasks = await Promise.all(Array.from({ length: 4 }, () => log.enqueue(importContent(), "a")));
  const statuses = (): string => tasks.map(({ uid }) => log.get(uid)!.status).join();
  const running = (uids: readonly number[], startedAt: number, uid = 0) => {
    const batch = startBatch(documents(uids.map((task) => tasks[task]!)), uid, startedAt);
    return { batch, progress: [{ currentStep: "indexing", finished: 1, total: 2 }] };
  };
  log.onRunningElsewhere([running([0, 1], 5)], true);
  assert.equal(statuses(), "processing,processing,enqueued,enqueued");
  assert.equal(log.getBatch(0)?.progress?.[0]?.currentStep, "indexing");
  // Another leader gives the number again.
  log.onRunningElsewhere([running([1, 2], 9)], true);
  assert.equal(statuses(), "enqueued,processing,processing,enqueued");
  // It may have finished, for all that is known here; and has not.
  log.onRunningElsewhere([], false);
  assert.equal(statuses(), "enqueued,processing,processing,enqueued");
  log.onRunningElsewhere([], true);
  assert.equal(statuses(), "enqueued,enqueued,enqueued,enqueued");
  assert.equal(log.getBatch(0), null);

  const own = running([0, 1, 2], 20);
  log.onRunningElsewhere([own], true);
  const outcomes = tasks.slice(0, 3).map(() => ({ status: "succeeded" as const, details: {} }));
  const finished = finishBatch(documents(tasks.slice(0, 3)), own.batch, outcomes, 30);
  await store.write(() => saveFinished(store, finished));
  // Stored, and not shown yet; then notes that are older than what shows.
  log.onRunningElsewhere([], true);
  assert.equal(statuses(), "processing,processing,processing,enqueued");
  log.onChangedElsewhere(
    [0, 1, 2].map((uid) => ({ uid, bytes: taskCodec.encode(store.tasks.get(uid)!) })),
    0,
  );
  assert.equal(statuses(), "succeeded,succeeded,succeeded,enqueued");
  log.onRunningElsewhere([own], true);
  log.onRunningElsewhere([running([2, 3], 40, 1)], true);
  assert.equal(statuses(), "succeeded,succeeded,succeeded,processing");
  log.onAborted("all");
  assert.equal(statuses(), "succeeded,succeeded,succeeded,enqueued");
});
