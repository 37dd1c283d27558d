import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskRecord } from "../../../src/base/contract/task.ts";
import { FreshTasks } from "../../../src/engine/writer/fresh-tasks.ts";
import { documentTask } from "../../storage/tasks/samples.ts";

test("a task that was told of a moment ago is read once, and one that waits no longer is none", () => {
  const stored = new Map<number, TaskRecord>([0, 1, 2].map((uid) => [uid, documentTask(uid)]));
  stored.set(1, { ...documentTask(1), status: "succeeded" });
  stored.set(2, { ...documentTask(2), content: { type: "documentDeletion", ids: ["1"] } } as TaskRecord);
  const reads: number[] = [];
  const tasks = new FreshTasks({
    get(uid) {
      reads.push(uid);
      return stored.get(uid);
    },
  });
  assert.deepEqual(
    tasks.waiting([0, 1, 2, 3]).map(({ uid }) => uid),
    [0, 2],
  );
  assert.deepEqual(reads, [0, 1, 2, 3]);
  assert.equal(tasks.take(0), stored.get(0));
  assert.deepEqual(reads, [0, 1, 2, 3]);
  // Once: a batch that was given up reads its tasks anew.
  assert.equal(tasks.take(0), stored.get(0));
  // Those that may be large are not kept.
  assert.equal(tasks.take(2), stored.get(2));
  assert.deepEqual(reads, [0, 1, 2, 3, 0, 2]);
  assert.throws(() => tasks.take(4), /task 4 has no record/);
});

test("of more tasks than can be kept the first are read again", () => {
  const reads: number[] = [];
  const tasks = new FreshTasks({
    get(uid) {
      reads.push(uid);
      return documentTask(uid);
    },
  });
  const uids = Array.from({ length: 5000 }, (_, uid) => uid);
  assert.equal(tasks.waiting(uids).length, 5000);
  reads.length = 0;
  for (const uid of [0, 1, 4999]) assert.equal(tasks.take(uid).uid, uid);
  assert.deepEqual(reads, [0, 1]);
});
