import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../../src/storage/store/store.ts";
import { columnsOf, headOf } from "../../../src/storage/store/task-record.ts";
import { columnsIn, finishedIn, packTasks } from "../../../src/storage/tasks/finished-tasks.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { documentTask } from "./samples.ts";

test("finished tasks are told as they are stored", async (t) => {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  const tasks = [documentTask(3), { ...documentTask(70_000, "b"), customMetadata: "m" }];
  let packed = packTasks([]);
  assert.deepEqual([...columnsIn(packed)], []);
  await store.write(() => {
    packed = packTasks(tasks.map((task) => ({ uid: task.uid, record: store.tasks.put(task.uid, task) })));
  });
  assert.deepEqual([...columnsIn(packed)], tasks.map(columnsOf));
  const { count, heads } = finishedIn(packed, 2);
  assert.equal(count, 2);
  for (let times = 0; times < 2; times++) assert.deepEqual([...heads()], tasks.map(headOf));
});
