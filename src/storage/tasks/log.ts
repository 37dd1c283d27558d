/**
 * The task log on the front's side: hands out uids, makes tasks durable before anybody hears of them, and answers every
 * question about tasks and batches. What clients see follows the writer's messages, never the store alone: a batch that
 * is committed but not published yet still shows as processing.
 */

import {
  type BatchRecord,
  type EmbedderRequests,
  type PayloadRef,
  type ProgressStep,
  payloadOf,
  type TaskContent,
  type TaskRecord,
} from "../../base/contract/task.ts";
import type { WrittenTask } from "../../base/contract/written-task.ts";
import { limits } from "../../base/limits.ts";
import { nowMicros } from "../../base/time/time.ts";
import { whenOpen } from "../store/fault.ts";
import type { OwnStore } from "../store/store.ts";
import { columnsOf, decodeTaskColumns, type TaskHead } from "../store/task-record.ts";
import { EVERY_TASK, isUnrestricted, type TaskFilter, type TaskPage, type TaskScope } from "./filter.ts";
import { columnsIn } from "./finished-tasks.ts";
import { newTask, withPayload } from "./new-task.ts";
import { batchesOf, emptyPage, type Page, pageOf, pageOfAll } from "./pages.ts";
import type { FinishedEvent } from "./results.ts";
import { shownHead } from "./shown-head.ts";
import { StoreRoom } from "./store-room.ts";
import { rowOf, TaskTable } from "./table.ts";
import { Trimming } from "./trimming.ts";

export interface TaskLogOptions {
  /** Told of every task once it is durable, in uid order. */
  onEnqueued: (uid: number) => void;
  tasksStored?: number;
  tasksDeletedAtOnce?: number;
  /** Used bytes beyond which only cancelations and deletions are taken. */
  storeBytesMax?: number;
}

interface EnqueueOptions {
  customMetadata?: string | null;
  /** A prepared payload to keep inside the store, unchanged until then; the content's reference is set to it. */
  payload?: Uint8Array | null;
  /** What is stored of a content that is a text, instead of it and its details; only its type counts then. */
  written?: Pick<WrittenTask, "details" | "texts" | "pieces">;
}

/** Is told of every change once clients may see it. */
interface TaskObserver {
  taskChanged?(uid: number): void;
  batchChanged?(uid: number): void;
  /** Anything may have changed. */
  reloaded(): void;
}

export type BegunBatch = Pick<BatchRecord, "uid" | "startedAt">;

export interface ListedBatch {
  batch: BatchRecord;
  /** Null unless the batch runs now. */
  progress: ProgressStep[] | null;
}

/** The task store is full well before the disk is: deleting tasks must stay possible. */
const FILL_SHARE_MAX = 0.4;
const ENQUEUED = { status: "enqueued", batchUid: null, canceledBy: null, startedAt: null, finishedAt: null } as const;

export class TaskLog {
  readonly #store: OwnStore;
  readonly #options: Required<TaskLogOptions>;
  #table = new TaskTable();
  #nextUid = 0;
  #lastDurableUid = -1;
  readonly #room: StoreRoom;
  readonly #trimming: Trimming;
  readonly #running = new Map<number, ListedBatch>();
  /** Tasks that are finished in the store, but show as enqueued until everybody sees what they did. */
  readonly #withheld = new Set<number>();
  readonly #observers: TaskObserver[] = [];

  constructor(store: OwnStore, options: TaskLogOptions) {
    this.#store = store;
    this.#options = {
      tasksStored: limits.tasksStored,
      tasksDeletedAtOnce: limits.tasksDeletedAtOnce,
      storeBytesMax: limits.taskStoreBytes * FILL_SHARE_MAX,
      ...options,
    };
    this.#room = new StoreRoom(store, this.#options.storeBytesMax);
    this.#trimming = new Trimming(this.#options, (deletion) => this.enqueue(deletion, null));
    this.#load();
  }

  #load(): void {
    const table = new TaskTable();
    this.#store.tasks.scan((uid, bytes) => {
      table.add(...rowOf(bytes, uid));
      this.#lastDurableUid = Math.max(this.#lastDurableUid, uid);
    });
    for (const uid of this.#withheld) table.update(uid, ENQUEUED);
    this.#table = table;
    this.#nextUid = Math.max(this.#nextUid, this.#lastDurableUid + 1);
  }

  observe(observer: TaskObserver): void {
    this.#observers.push(observer);
  }

  get table(): TaskTable {
    return this.#table;
  }

  /** The batches that run now, with their progress. */
  get running(): readonly ListedBatch[] {
    return [...this.#running.values()];
  }

  /** Resolves when the task and its payload are on disk. */
  async enqueue(content: TaskContent, indexUid: string | null, options: EnqueueOptions = {}): Promise<TaskRecord> {
    this.#room.refuseWhenFull(content);
    const payload = options.payload ?? null;
    const enqueuedAt = nowMicros();
    let handedOut: TaskRecord | null = null;
    try {
      await this.#store.writeInTurn(() => {
        const uid = this.#nextUid;
        const stored = withPayload(content, uid, payload);
        const task = newTask(uid, stored, indexUid, options.customMetadata ?? null, enqueuedAt);
        if (options.written !== undefined) this.#putTexts(task, options.written);
        this.#store.tasks.put(uid, task);
        this.#store.pending.put(uid, true);
        if (payload !== null) this.#store.payloads.put(String(uid), payload);
        this.#nextUid = uid + 1;
        handedOut = task;
      });
    } catch (error) {
      // Uids are consecutive. Those of later tasks are not handed out before this one is known to have failed.
      if (handedOut !== null) this.#nextUid = this.#lastDurableUid + 1;
      throw error;
    }
    const task = handedOut as unknown as TaskRecord;
    const { uid } = task;
    this.#lastDurableUid = Math.max(this.#lastDurableUid, uid);
    // The table may have been read anew while this was on its way to the disk.
    if (!this.#table.has(uid)) {
      this.#table.add(
        columnsOf(task),
        content.type === "indexSwap" ? content.swaps.flatMap((swap) => swap.indexes) : null,
      );
    }
    this.#options.onEnqueued(uid);
    this.#changed([uid], null);
    void this.#trimming.afterOne(content, this.#table);
    return task;
  }

  #putTexts(task: TaskRecord, { details, texts, pieces }: NonNullable<EnqueueOptions["written"]>): void {
    task.details = details;
    if (texts !== undefined) task.texts = texts;
    for (const { key, sealed } of pieces) this.#store.texts.putSealed(key, sealed);
  }

  /** The task as clients may see it, or null when there is none for them. */
  get(uid: number, scope: TaskScope = EVERY_TASK): TaskHead | null {
    return this.#table.isVisible(uid, scope) ? this.#head(uid) : null;
  }

  /** Whether, as far as is known here, no task was given this uid yet. */
  isAhead(uid: number): boolean {
    return uid > this.#lastDurableUid;
  }

  /** Where the documents of a task lie that is not finished; null where there are none. Contents of other types may be long, and are not read. */
  waitingDocuments(uid: number, scope: TaskScope = EVERY_TASK): PayloadRef | null {
    const columns = this.#table.isVisible(uid, scope) ? this.#table.columns(uid) : null;
    if (columns?.type !== "documentAdditionOrUpdate" || columns.finishedAt !== null) return null;
    const record = this.#store.tasks.get(uid);
    return record === undefined ? null : payloadOf(record.content);
  }

  /** One page of their uids; what `get` has of each is read when it is wanted. */
  list(filter: TaskFilter, page: TaskPage, scope: TaskScope): Page<number> {
    const isWhole = scope.all && isUnrestricted(filter);
    return isWhole ? pageOfAll(this.#table, page) : pageOf(this.#table, filter, page, scope);
  }

  /** Uids of the tasks that a cancelation or deletion with this filter concerns. */
  match(filter: TaskFilter, scope: TaskScope): number[] {
    const uids: number[] = [];
    this.#table.select(filter, scope, (uid, listed) => {
      if (listed) uids.push(uid);
    });
    return uids;
  }

  getBatch(uid: number, scope: TaskScope = EVERY_TASK): ListedBatch | null {
    const found = this.#batch(uid);
    if (found === null || scope.all) return found;
    return found.batch.taskUids.some((task) => this.#table.isVisible(task, scope)) ? found : null;
  }

  /** As `list`, of batches. */
  listBatches(filter: TaskFilter, page: TaskPage, scope: TaskScope): Page<number> {
    return batchesOf(this.#table, filter, page, scope) ?? emptyPage(page);
  }

  /** What became of the tasks of batches that began and nobody told of; nothing of those that were given up. */
  finishedIn(begun: Iterable<BegunBatch>): TaskHead[] {
    const found: TaskHead[] = [];
    for (const { uid, startedAt } of begun) {
      const batch = this.#store.batches.get(uid);
      // The uid of a batch that was given up is given again.
      if (batch === undefined || batch.startedAt !== startedAt) continue;
      for (const task of batch.taskUids) if (this.#table.isFinished(task)) found.push(this.#head(task)!);
    }
    return found;
  }

  onStarted(batch: BatchRecord): void {
    this.#running.set(batch.uid, { batch, progress: [] });
    const { startedAt } = batch;
    const state = { status: "processing", batchUid: batch.uid, canceledBy: null, startedAt, finishedAt: null } as const;
    for (const uid of this.#unfinished(batch)) this.#table.update(uid, state);
    this.#changed(batch.taskUids, batch.uid);
  }

  /** Tasks of a batch that another server runs may have been canceled meanwhile. */
  #unfinished({ taskUids }: BatchRecord): number[] {
    return taskUids.filter((uid) => !this.#table.isFinished(uid));
  }

  onProgress(batchUid: number, steps: ProgressStep[]): void {
    const running = this.#running.get(batchUid);
    if (running === undefined) return;
    running.progress = steps;
    this.#changed([], batchUid);
  }

  onRequests(batchUid: number, embedderRequests: EmbedderRequests): void {
    const running = this.#running.get(batchUid);
    if (running === undefined) return;
    running.batch = { ...running.batch, stats: { ...running.batch.stats, embedderRequests } };
    this.#changed([], batchUid);
  }

  /** The batch, or all that run, was stopped before it changed anything; its tasks wait again. */
  onAborted(batchUid: number | "all"): void {
    for (const uid of batchUid === "all" ? [...this.#running.keys()] : [batchUid]) {
      const running = this.#running.get(uid);
      const taskUids = running === undefined ? [] : this.#unfinished(running.batch);
      for (const task of taskUids) this.#table.update(task, ENQUEUED);
      this.#running.delete(uid);
      this.#changed(taskUids, uid);
    }
  }

  /**
   * The store was opened anew: a task that was refused may be there all the same. What batches have made of tasks shows when the
   * next writer has shown what they did.
   */
  onStoreReopened(): void {
    const found: number[] = [];
    this.#store.tasks.scan((uid, bytes) => {
      if (this.#table.has(uid)) return;
      this.#table.add(...rowOf(bytes, uid));
      this.#table.update(uid, ENQUEUED);
      found.push(uid);
    });
    this.onGiven(found.at(-1) ?? this.#lastDurableUid);
    this.#changed(found, null);
  }

  /**
   * These run on the server that leads. `isUpToDate`: whatever else ran there and was finished is stored here; what is not stored by then
   * was given up.
   */
  onRunningElsewhere(batches: readonly ListedBatch[], isUpToDate: boolean): void {
    this.#store.refresh();
    const isStored = (uid: number): boolean => this.#store.batches.has(uid);
    const begun = new Map(batches.map(({ batch }) => [batch.uid, batch.startedAt]));
    for (const { batch } of this.running) {
      const isOther = begun.has(batch.uid) && begun.get(batch.uid) !== batch.startedAt;
      const isGone = !begun.has(batch.uid) && isUpToDate && !isStored(batch.uid);
      if (isOther || isGone) this.onAborted(batch.uid);
    }
    for (const { batch, progress } of batches) {
      // What is stored is about to show as finished, or has.
      if (isStored(batch.uid)) continue;
      if (!this.#running.has(batch.uid)) this.onStarted(batch);
      this.onProgress(batch.uid, progress ?? []);
    }
  }

  /**
   * Another writer has taken over and shows what is stored: what was committed but could not be told is read from the store.
   * When that is being opened anew just now, yet another one will follow.
   */
  onWriterReplaced(): void {
    this.#store.refresh();
    this.#running.clear();
    whenOpen(() => {
      this.#load();
      for (const observer of this.#observers) observer.reloaded();
    });
  }

  /** The batch is committed and published: from now on it shows. */
  onFinished(event: FinishedEvent): void {
    this.#store.refresh();
    this.#running.delete(event.batch.uid);
    const uids: number[] = [];
    for (const task of columnsIn(event.tasks)) {
      this.#table.update(task.uid, task);
      this.#trimming.onFinished(task.uid);
      uids.push(task.uid);
    }
    if (event.renames !== null) this.#table.rename(event.renames);
    this.#table.remove(event.removedTasks);
    this.#room.measureAgain();
    this.#changed(uids, event.batch.uid);
  }

  /** Uids up to this one are given, here or by another server. Those that were given since, and not stored, are void. */
  onGiven(uid: number): void {
    this.#lastDurableUid = Math.max(this.#lastDurableUid, uid);
    this.#nextUid = this.#lastDurableUid + 1;
  }

  /** Uids that were handed out and not stored will be handed out again. */
  onRegather(): void {
    this.#nextUid = this.#lastDurableUid + 1;
  }

  /** Another server has enqueued a task; it is stored here, and may have been read from there already. */
  onEnqueuedElsewhere(uid: number, bytes: Uint8Array): void {
    if (!this.#table.has(uid)) this.#table.add(...rowOf(bytes, uid));
    this.#options.onEnqueued(uid);
    this.#changed([uid], null);
  }

  /** Another server has finished, renamed or removed tasks; what came of it is stored and published here. */
  onChangedElsewhere(tasks: readonly { uid: number; bytes: Uint8Array | null }[], batchUid: number | null): void {
    this.#store.refresh();
    if (batchUid !== null) this.#running.delete(batchUid);
    let isRenamed = false;
    for (const { uid, bytes } of tasks) {
      if (bytes === null) {
        this.#table.remove([uid]);
        continue;
      }
      const columns = decodeTaskColumns(bytes, uid);
      isRenamed ||= columns.type === "indexSwap" || this.#table.columns(uid)?.indexUid !== columns.indexUid;
      this.#table.update(uid, columns);
    }
    this.#room.measureAgain();
    if (isRenamed) this.#load();
    this.#changed(
      tasks.map(({ uid }) => uid),
      batchUid,
    );
  }

  /**
   * These are finished in the store from now on; until they are let go, none of that shows. One that is not known yet was enqueued
   * and finished at once, as it seems from here.
   */
  withhold(uids: readonly number[]): void {
    for (const uid of uids) if (!this.#table.isFinished(uid)) this.#withheld.add(uid);
  }

  letGo(uids: readonly number[]): void {
    for (const uid of uids) this.#withheld.delete(uid);
  }

  #changed(taskUids: readonly number[], batchUid: number | null): void {
    for (const observer of this.#observers) {
      for (const uid of taskUids) observer.taskChanged?.(uid);
      if (batchUid !== null) observer.batchChanged?.(batchUid);
    }
  }

  #head(uid: number): TaskHead | null {
    const shown = this.#table.columns(uid);
    return shown === null ? null : shownHead(this.#store, shown);
  }

  #batch(uid: number): ListedBatch | null {
    const running = this.#running.get(uid);
    if (running !== undefined) return running;
    const batch = this.#store.batches.get(uid);
    return batch === undefined ? null : { batch, progress: null };
  }
}
