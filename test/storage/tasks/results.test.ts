import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { TaskContent, TaskRecord } from "../../../src/base/contract/task.ts";
import { indexNotFound } from "../../../src/base/errors/errors.ts";
import { openStore, type Store } from "../../../src/storage/store/store.ts";
import type { Batch } from "../../../src/storage/tasks/batch.ts";
import {
  failBatch,
  finishBatch,
  finishCancelation,
  finishSwap,
  finishTaskDeletions,
  nextBatchUid,
  saveFinished,
  startBatch,
} from "../../../src/storage/tasks/results.ts";
import { batchView } from "../../../src/storage/tasks/views.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { documentTask, importContent, task } from "./samples.ts";

function openTemporary(t: { after(fn: () => Promise<void>): void }): Store {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  return store;
}

function documents(tasks: TaskRecord[]): Batch {
  return {
    kind: "documents",
    indexUid: "movies",
    tasks,
    strategy: "s",
    primaryKey: null,
    allowIndexCreation: true,
    onlyDeletions: false,
  };
}

const deletion = (matchedUids: number[]): TaskContent => ({ type: "taskDeletion", matchedUids, originalFilter: "?x" });

test("each task of a batch has its own end, and the batch adds them up", () => {
  const batch = documents([
    documentTask(4),
    documentTask(5),
    task(6, { type: "documentDeletion", by: "ids", ids: ["a", "b"] }),
  ]);
  const started = startBatch(batch, 2, 100);
  assert.deepEqual(started.stats, {
    totalNbTasks: 3,
    status: { processing: 3 },
    types: { documentAdditionOrUpdate: 2, documentDeletion: 1 },
    indexUids: Object.assign(Object.create(null), { movies: 3 }),
  });
  const error = indexNotFound("movies").body();
  const done = finishBatch(
    batch,
    started,
    [
      { status: "succeeded", details: { indexedDocuments: 1 } },
      { status: "failed", error },
      { status: "succeeded", details: { deletedDocuments: 2 } },
    ],
    250,
  );
  assert.deepEqual(
    done.tasks.map((one) => [one.uid, one.status, one.details, one.error, one.batchUid, one.startedAt, one.finishedAt]),
    [
      [4, "succeeded", { receivedDocuments: 1, indexedDocuments: 1 }, null, 2, 100, 250],
      [5, "failed", { receivedDocuments: 1, indexedDocuments: 0 }, error, 2, 100, 250],
      [6, "succeeded", { providedIds: 2, deletedDocuments: 2, originalFilter: null }, null, 2, 100, 250],
    ],
  );
  assert.deepEqual(done.batch.details, {
    receivedDocuments: 2,
    indexedDocuments: 1,
    providedIds: 2,
    deletedDocuments: 2,
  });
  assert.deepEqual(done.batch.stats.status, { succeeded: 2, failed: 1 });
  assert.deepEqual(
    done.payloads.map((payload) => payload.name),
    ["4", "5"],
  );
  assert.deepEqual(Object.keys(batchView(done.batch, null)), [
    "uid",
    "progress",
    "details",
    "stats",
    "duration",
    "startedAt",
    "finishedAt",
    "batchStrategy",
  ]);
});

test("a fatal error fails every task alike", () => {
  const batch = documents([documentTask(0), documentTask(1)]);
  const error = indexNotFound("movies").body();
  const done = failBatch(batch, startBatch(batch, 0, 1), error, 2);
  assert.ok(done.tasks.every((one) => one.status === "failed" && one.error === error));
});

test("a cancelation ends the matched tasks that are pending and takes them into its batch", () => {
  const content: TaskContent = { type: "taskCancelation", matchedUids: [0, 1, 2], originalFilter: "?uids=0,1,2" };
  const batch: Batch = { kind: "taskCancelation", tasks: [task(9, content, null)], strategy: "s" };
  const pending = new Map([
    [1, documentTask(1)],
    [2, task(2, { type: "indexDeletion" })],
  ]);
  const done = finishCancelation(batch, startBatch(batch, 7, 50), (uid) => pending.get(uid), 60);
  assert.deepEqual(
    done.tasks.map((one) => [one.uid, one.status, one.canceledBy, one.batchUid, one.startedAt, one.finishedAt]),
    [
      [1, "canceled", 9, 7, 50, 60],
      [2, "canceled", 9, 7, 50, 60],
      [9, "succeeded", null, 7, 50, 60],
    ],
  );
  assert.deepEqual(done.tasks[0]!.details, { receivedDocuments: 1, indexedDocuments: 0 });
  assert.deepEqual(done.tasks[1]!.details, { deletedDocuments: 0 });
  assert.deepEqual(done.tasks[2]!.details, { matchedTasks: 3, canceledTasks: 2, originalFilter: "?uids=0,1,2" });
  assert.deepEqual(done.batch.taskUids, [1, 2, 9]);
  assert.deepEqual(
    done.payloads.map((payload) => payload.name),
    ["1"],
  );
});

// The interface, task object, duration: "time spent in `processing`"
test("a task that is canceled while it is worked on keeps when that began", () => {
  const content: TaskContent = { type: "taskCancelation", matchedUids: [0, 1], originalFilter: "?" };
  const batch: Batch = { kind: "taskCancelation", tasks: [task(9, content, null)], strategy: "s" };
  const begun = new Map([[1, 20]]);
  const started = startBatch(batch, 7, 50);
  const done = finishCancelation(batch, started, documentTask, 60, undefined, (uid) => begun.get(uid));
  assert.deepEqual(
    done.tasks.map((one) => [one.uid, one.batchUid, one.startedAt, one.finishedAt]),
    [
      [0, 7, 50, 60],
      [1, 7, 20, 60],
      [9, 7, 50, 60],
    ],
  );
});

test("a deletion removes finished tasks only, and batches with their last task", async (t) => {
  const store = openTemporary(t);
  const all = [0, 1, 2, 3].map((uid) => documentTask(uid));
  await store.write(() => {
    for (const one of all) {
      store.tasks.put(one.uid, one);
      store.pending.put(one.uid, true);
      store.payloads.put(String(one.uid), Uint8Array.of(1));
    }
  });
  for (const [uid, members] of [
    [0, [0, 1]],
    [1, [2]],
  ] as const) {
    const batch = documents(members.map((member) => all[member]!));
    assert.equal(nextBatchUid(store), uid);
    const outcomes = members.map(() => ({ status: "succeeded", details: { indexedDocuments: 1 } }) as const);
    const done = finishBatch(batch, startBatch(batch, uid, 10), outcomes, 20);
    await store.write(() => saveFinished(store, done));
  }
  assert.deepEqual([...store.pending.keys()], [3]);
  assert.deepEqual([...store.payloads.keys()], ["3"]);

  const batch: Batch = {
    kind: "taskDeletions",
    tasks: [task(8, deletion([0, 2, 3, 77]), null), task(9, deletion([0]), null)],
    strategy: "s",
  };
  const done = finishTaskDeletions(batch, startBatch(batch, nextBatchUid(store), 30), store, 40);
  assert.deepEqual(done.removedTasks, [0, 2]);
  assert.deepEqual(done.removedBatches, [1]);
  assert.deepEqual(
    done.tasks.map((one) => one.details),
    [
      { matchedTasks: 4, deletedTasks: 2, originalFilter: "?x" },
      { matchedTasks: 1, deletedTasks: 0, originalFilter: "?x" },
    ],
  );
  await store.write(() => saveFinished(store, done));
  assert.deepEqual([...store.tasks.keys()], [1, 3, 8, 9]);
  assert.deepEqual([...store.batches.keys()], [0, 2]);
});

test("after a swap the history of both indexes has changed names, but not what came later", async (t) => {
  const store = openTemporary(t);
  const contents = importContent();
  const swap: TaskContent = {
    type: "indexSwap",
    swaps: [
      { indexes: ["a", "b"], rename: false },
      { indexes: ["c", "d"], rename: true },
    ],
  };
  await store.write(() => {
    ["a", "b", "c", "d", "e"].forEach((index, uid) => void store.tasks.put(uid, task(uid, contents, index)));
    store.tasks.put(6, task(6, contents, "a"));
  });
  const batch: Batch = { kind: "indexSwap", tasks: [task(5, swap, null)], strategy: "s" };
  const done = finishSwap(batch, startBatch(batch, 0, 1), 2);
  await store.write(() => saveFinished(store, done));
  assert.deepEqual(
    [...store.tasks.entries()].map(([, one]) => one.indexUid),
    ["b", "a", "d", "d", "e", null, "a"],
  );
});
