/**
 * The unfinished tasks of the store, oldest first: what the writer finds when it starts.
 */

import type { TaskRecord } from "../../base/contract/task.ts";
import type { Store } from "../store/store.ts";

export function* pendingTasks(store: Pick<Store, "pending" | "tasks">): Generator<TaskRecord> {
  for (const uid of [...store.pending.keys()]) {
    const task = store.tasks.get(uid);
    if (task === undefined) throw new Error(`Task ${uid} is pending but has no record.`);
    yield task;
  }
}
