/** A task as it is when it is enqueued: nothing became of it yet. */
import type { TaskContent, TaskRecord } from "../../base/contract/task.ts";
import type { Micros } from "../../base/time/time.ts";
import { initialDetails } from "./types.ts";

export function newTask(
  uid: number,
  content: TaskContent,
  indexUid: string | null,
  customMetadata: string | null,
  enqueuedAt: Micros,
): TaskRecord {
  return {
    uid,
    indexUid,
    status: "enqueued",
    content,
    details: initialDetails(content, indexUid),
    error: null,
    batchUid: null,
    canceledBy: null,
    enqueuedAt,
    startedAt: null,
    finishedAt: null,
    customMetadata,
  };
}

/** Documents that are kept inside the store are found there by the uid of their task. */
export function withPayload(content: TaskContent, uid: number, payload: Uint8Array | null): TaskContent {
  if (payload === null || content.type !== "documentAdditionOrUpdate") return content;
  return { ...content, payload: { kind: "inline", name: String(uid), bytes: payload.byteLength } };
}
