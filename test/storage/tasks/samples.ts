/** Task records for tests, complete but for what a test cares about. */
import type { TaskContent, TaskRecord } from "../../../src/base/contract/task.ts";
import type { Store } from "../../../src/storage/store/store.ts";
import { type FinishedBatch, type FinishedEvent, saveFinished } from "../../../src/storage/tasks/results.ts";

export function task(uid: number, content: TaskContent, indexUid: string | null = "movies"): TaskRecord {
  return {
    uid,
    indexUid,
    status: "enqueued",
    content,
    details: null,
    error: null,
    batchUid: null,
    canceledBy: null,
    enqueuedAt: 1_700_000_000_000_000 + uid,
    startedAt: null,
    finishedAt: null,
    customMetadata: null,
  };
}

export function importContent(changes: Partial<Extract<TaskContent, { type: "documentAdditionOrUpdate" }>> = {}) {
  return {
    type: "documentAdditionOrUpdate",
    method: "replace",
    primaryKey: null,
    payload: { kind: "inline", name: "0", bytes: 10 },
    documentsCount: 1,
    allowIndexCreation: true,
    skipCreation: false,
    ...changes,
  } satisfies TaskContent;
}

export function documentTask(uid: number, indexUid = "movies"): TaskRecord {
  return task(uid, importContent({ payload: { kind: "inline", name: String(uid), bytes: 10 } }), indexUid);
}

/** What a writer tells once this is stored. */
export async function stored(store: Store, result: FinishedBatch): Promise<FinishedEvent> {
  const events: FinishedEvent[] = [];
  await store.write(() => events.push(saveFinished(store, result)));
  return events[0]!;
}
