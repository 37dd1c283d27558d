/**
 * What a finished batch leaves behind: final task records, the batch record, and which older records go or change.
 * Decides and, in `saveFinished`, queues the puts; the caller's transaction makes them durable together with the data.
 */

import {
  type BatchRecord,
  type BatchStats,
  type PayloadRef,
  payloadOf,
  type TaskRecord,
  type TaskStatus,
  type TextRef,
} from "../../base/contract/task.ts";
import type { ErrorBody } from "../../base/errors/errors.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { Micros } from "../../base/time/time.ts";
import { heldDetails } from "../store/batch-record.ts";
import type { Store } from "../store/store.ts";
import { decodeTaskColumns } from "../store/task-record.ts";
import { keysOf, textsOf } from "../store/texts.ts";
import type { Batch } from "./batch.ts";
import { mergeDetails, successfulDetails, unsuccessfulDetails } from "./details.ts";
import { packTasks } from "./finished-tasks.ts";
import { initialDetails } from "./types.ts";

/** `details` completes the initial ones, e.g. `{ indexedDocuments: 3 }`; left out, open counters stay null. */
export type TaskOutcome = { status: "succeeded"; details?: JsonObject } | { status: "failed"; error: ErrorBody };

/** What the work on a batch tells besides the outcomes. `progressTrace`: `"outer > inner"` to a duration text. */
export type BatchTrace = Required<Pick<BatchStats, "progressTrace">> &
  Pick<BatchStats, "writeChannelCongestion" | "internalDatabaseSizes" | "embedderRequests">;

/** Every task below `below` that bears one of the names gets the other; all names change at once. */
export interface IndexRenames {
  below: number;
  names: Map<string, string>;
}

export interface FinishedBatch {
  batch: BatchRecord;
  /** Tasks that are finished now, canceled ones included. */
  tasks: TaskRecord[];
  removedTasks: number[];
  removedBatches: number[];
  /** Of the removed tasks and batches, unless a batch that stays shows them. */
  removedTexts: TextRef[];
  renames: IndexRenames | null;
  /** Payloads that nobody needs any more: inline ones leave with the commit, files are the caller's to unlink after it. */
  payloads: PayloadRef[];
}

/** What the front is told. */
export interface FinishedEvent extends Omit<FinishedBatch, "tasks" | "payloads" | "removedTexts"> {
  /** As `finished-tasks.ts` packs them. */
  tasks: Uint8Array;
}

export function nextBatchUid(store: Store): number {
  return (store.batches.lastKey() ?? -1) + 1;
}

/** The record of a batch that begins to run; kept in memory only until it is finished. */
export function startBatch(batch: Batch, uid: number, startedAt: Micros): BatchRecord {
  return {
    uid,
    taskUids: batch.tasks.map((task) => task.uid),
    ...heldDetails(mergeDetails(batch.tasks.map((task) => initialDetails(task.content, task.indexUid))), batch.tasks),
    stats: statsOf(batch.tasks, "processing"),
    startedAt,
    finishedAt: null,
    strategy: batch.strategy,
  };
}

/** `outcomes` in the order of `batch.tasks`. */
export function finishBatch(
  batch: Batch,
  started: BatchRecord,
  outcomes: readonly TaskOutcome[],
  finishedAt: Micros,
  trace: BatchTrace = NO_TRACE,
): FinishedBatch {
  if (outcomes.length !== batch.tasks.length) throw new Error("Every task of a batch needs an outcome.");
  const tasks = batch.tasks.map((task, i) => finishTask(task, started, outcomes[i]!, finishedAt));
  return finished(started, tasks, finishedAt, trace);
}

/** The same error for every task; nothing else was changed. */
export function failBatch(
  batch: Batch,
  started: BatchRecord,
  error: ErrorBody,
  finishedAt: Micros,
  trace: BatchTrace = NO_TRACE,
): FinishedBatch {
  const outcomes = batch.tasks.map((): TaskOutcome => ({ status: "failed", error }));
  return finishBatch(batch, started, outcomes, finishedAt, trace);
}

/**
 * `pending` gives the record of a task that is not finished, or undefined. Canceled tasks join the cancelation's batch;
 * `begunAt` tells when work on one had begun, so that it keeps that time.
 */
export function finishCancelation(
  batch: Batch,
  started: BatchRecord,
  pending: (uid: number) => TaskRecord | undefined,
  finishedAt: Micros,
  trace: BatchTrace = NO_TRACE,
  begunAt: (uid: number) => Micros | undefined = () => undefined,
): FinishedBatch {
  const cancelation = batch.tasks[0]!;
  if (cancelation.content.type !== "taskCancelation") throw new Error("Not a cancelation.");
  const canceled: TaskRecord[] = [];
  for (const uid of cancelation.content.matchedUids) {
    const task = uid === cancelation.uid ? undefined : pending(uid);
    if (task === undefined) continue;
    const startedAt = begunAt(uid) ?? started.startedAt;
    canceled.push(cancelTask(task, cancelation.uid, { uid: started.uid, startedAt }, finishedAt));
  }
  const outcome: TaskOutcome = { status: "succeeded", details: { canceledTasks: canceled.length } };
  return finished(started, [...canceled, finishTask(cancelation, started, outcome, finishedAt)], finishedAt, trace);
}

/** Deletes the finished tasks that the batch's deletions matched; each counts those that were left for it. */
export function finishTaskDeletions(
  batch: Batch,
  started: BatchRecord,
  store: Pick<Store, "taskHeads" | "tasks" | "batches">,
  finishedAt: Micros,
  trace: BatchTrace = NO_TRACE,
): FinishedBatch {
  const removed = new Set<number>();
  const texts = new Map<string, TextRef>();
  const batchesTouched = new Set<number>();
  const outcomes = batch.tasks.map(({ content }): TaskOutcome => {
    if (content.type !== "taskDeletion") throw new Error("Not a task deletion.");
    const before = removed.size;
    for (const uid of content.matchedUids) {
      if (removed.has(uid)) continue;
      const head = store.taskHeads.get(uid);
      if (head === undefined || head.finishedAt === null) continue;
      removed.add(uid);
      for (const ref of textsOf(head)) texts.set(ref.name, ref);
      if (head.batchUid !== null) batchesTouched.add(head.batchUid);
    }
    return { status: "succeeded", details: { deletedTasks: removed.size - before } };
  });
  const result = finishBatch(batch, started, outcomes, finishedAt, trace);
  result.removedTasks = [...removed];
  for (const uid of batchesTouched) {
    const record = store.batches.get(uid);
    if (record === undefined) continue;
    const isGone = record.taskUids.every((task) => removed.has(task) || !store.tasks.has(task));
    if (isGone) result.removedBatches.push(uid);
    for (const ref of Object.values(record.texts ?? {})) {
      if (isGone) texts.set(ref.name, ref);
      else texts.delete(ref.name);
    }
  }
  result.removedTexts = [...texts.values()];
  return result;
}

/** A swap that succeeded: the history of each index follows its data. */
export function finishSwap(
  batch: Batch,
  started: BatchRecord,
  finishedAt: Micros,
  trace: BatchTrace = NO_TRACE,
): FinishedBatch {
  const swap = batch.tasks[0]!;
  if (swap.content.type !== "indexSwap") throw new Error("Not an index swap.");
  const names = new Map<string, string>();
  for (const { indexes, rename } of swap.content.swaps) {
    const [left, right] = indexes;
    names.set(left, right);
    if (!rename) names.set(right, left);
  }
  const result = finishBatch(batch, started, [{ status: "succeeded" }], finishedAt, trace);
  result.renames = { below: swap.uid, names };
  return result;
}

/** Queues the puts of a finished batch; call it inside `store.write()`. Gives what the front is to be told once they are made. */
export function saveFinished(store: Store, result: FinishedBatch): FinishedEvent {
  const stored = result.tasks.map((task) => ({ uid: task.uid, record: store.tasks.put(task.uid, task) }));
  for (const { uid } of result.tasks) store.pending.remove(uid);
  store.batches.put(result.batch.uid, result.batch);
  for (const uid of result.removedTasks) store.tasks.remove(uid);
  for (const uid of result.removedBatches) store.batches.remove(uid);
  for (const key of result.removedTexts.flatMap(keysOf)) store.texts.remove(key);
  for (const payload of result.payloads) if (payload.kind === "inline") store.payloads.remove(payload.name);
  if (result.renames !== null) saveRenames(store, result.renames);
  const { batch, removedTasks, removedBatches, renames } = result;
  return { batch, removedTasks, removedBatches, renames, tasks: packTasks(stored) };
}

function saveRenames(store: Store, { below, names }: IndexRenames): void {
  const found: number[] = [];
  store.tasks.scan(
    (uid, bytes) => {
      const { indexUid, type } = decodeTaskColumns(bytes, uid);
      if (type === "indexSwap" || (indexUid !== null && names.has(indexUid))) found.push(uid);
    },
    { end: below },
  );
  for (const uid of found) {
    const task = store.tasks.get(uid)!;
    store.tasks.put(uid, renamed(task, names));
  }
}

/** A swap has no index of its own: the names in it follow the data they stood for. */
function renamed(task: TaskRecord, names: ReadonlyMap<string, string>): TaskRecord {
  const { content } = task;
  if (content.type !== "indexSwap") return { ...task, indexUid: names.get(task.indexUid!)! };
  const swaps = content.swaps.map(({ indexes: [left, right], rename }) => {
    const indexes: [string, string] = [names.get(left) ?? left, names.get(right) ?? right];
    return { indexes, rename };
  });
  const changed = { ...content, swaps };
  return { ...task, content: changed, details: initialDetails(changed, task.indexUid) };
}

const NO_TRACE: BatchTrace = { progressTrace: {} };

function finished(started: BatchRecord, tasks: TaskRecord[], finishedAt: Micros, trace: BatchTrace): FinishedBatch {
  tasks.sort((left, right) => left.uid - right.uid);
  const stats = statsOf(tasks);
  Object.assign(stats, trace);
  const payloads = tasks.flatMap(({ content }) => payloadOf(content) ?? []);
  const { texts: _earlier, ...begun } = started;
  return {
    batch: {
      ...begun,
      taskUids: tasks.map((task) => task.uid),
      ...heldDetails(mergeDetails(tasks.map((task) => task.details)), tasks),
      stats,
      finishedAt,
    },
    tasks,
    removedTasks: [],
    removedBatches: [],
    removedTexts: [],
    renames: null,
    payloads,
  };
}

function finishTask(task: TaskRecord, batch: BatchRecord, outcome: TaskOutcome, finishedAt: Micros): TaskRecord {
  const succeeded = outcome.status === "succeeded";
  return {
    ...task,
    status: outcome.status,
    details: succeeded ? successfulDetails(task, outcome.details) : unsuccessfulDetails(task),
    error: succeeded ? null : outcome.error,
    batchUid: batch.uid,
    startedAt: batch.startedAt,
    finishedAt,
  };
}

function cancelTask(
  task: TaskRecord,
  canceledBy: number,
  batch: Pick<BatchRecord, "uid" | "startedAt">,
  finishedAt: Micros,
): TaskRecord {
  return {
    ...task,
    status: "canceled",
    details: unsuccessfulDetails(task),
    error: null,
    batchUid: batch.uid,
    canceledBy,
    startedAt: batch.startedAt,
    finishedAt,
  };
}

/** `common`: of all of them, whatever their records say. */
function statsOf(tasks: readonly TaskRecord[], common: TaskStatus | null = null): BatchStats {
  // Without a prototype: `__proto__` is a valid index uid.
  const stats: BatchStats = { totalNbTasks: tasks.length, status: {}, types: {}, indexUids: Object.create(null) };
  for (const { status: own, content, indexUid } of tasks) {
    const status = common ?? own;
    stats.status[status] = (stats.status[status] ?? 0) + 1;
    stats.types[content.type] = (stats.types[content.type] ?? 0) + 1;
    if (indexUid !== null) stats.indexUids[indexUid] = (stats.indexUids[indexUid] ?? 0) + 1;
  }
  return stats;
}
