/**
 * Runs batches, one after the other: takes the next from the queue, has it worked on, commits what came of it and tells
 * the front. A batch that fails changes nothing but its tasks; one that is aborted changes nothing at all. Where one task
 * of several may be to blame, they are tried again in smaller batches, so that it fails alone.
 */
import { readableSize } from "../contract/errors.ts";
import { removeLeftover } from "../files/leftover.ts";
import type { Batch, IndexInfo } from "../tasks/batch.ts";
import type { TaskQueue } from "../tasks/queue.ts";
import {
  type BatchTrace,
  type FinishedBatch,
  failBatch,
  finishBatch,
  finishCancelation,
  finishedEvent,
  finishSwap,
  finishTaskDeletions,
  nextBatchUid,
  saveFinished,
  startBatch,
} from "../tasks/results.ts";
import type { BatchRecord, EmbedderRequests, Micros } from "../tasks/task.ts";
import { nowMicros } from "../tasks/time.ts";
import { noRequests, type RequestCounts } from "../vector/embed/messages.ts";
import { afterFailure, perform } from "./batches.ts";
import { OneToBlame } from "./blame.ts";
import type { Committer } from "./commit.ts";
import type { Merger } from "./merges.ts";
import type { FromWriter } from "./messages.ts";
import type { Mutex } from "./mutex.ts";
import { Progress } from "./progress.ts";
import { asApiError, BatchAborted, type BuildCounts, type Change, unchanged, type Work } from "./work.ts";

/** Progress is for people to look at: more often than this helps nobody. */
const PROGRESS_INTERVAL_MS = 50;
const REQUESTS_INTERVAL_MS = 250;
/** Between two tries to store that a batch has failed. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;

export interface RunnerParts {
  work: Omit<Work, "progress" | "checkpoint" | "requests" | "builds">;
  queue: TaskQueue;
  committer: Committer;
  merger: Merger;
  mutex: Mutex;
  say(message: FromWriter): void;
}

export class Runner {
  readonly #parts: RunnerParts;
  readonly #info: IndexInfo;
  #wake: (() => void) | null = null;
  #stopping = false;
  #running: Batch | null = null;
  #nextUid: number;
  /** When work on tasks had begun that were given up unfinished. */
  readonly #begunAt = new Map<number, Micros>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const { indexes, store } = parts.work;
    this.#info = {
      exists: (uid) => indexes.get(uid) !== null,
      primaryKey: (uid) => indexes.get(uid)?.manifest.primaryKey ?? null,
    };
    this.#nextUid = nextBatchUid(store);
  }

  /** New tasks are in the queue. */
  wake(): void {
    this.#wake?.();
    this.#wake = null;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  stop(): void {
    this.#stopping = true;
    this.wake();
  }

  /** Ends only after `stop`. */
  async run(): Promise<void> {
    while (!this.#stopping) {
      const batch = this.#parts.queue.next(this.#info);
      if (batch === null) {
        await new Promise<void>((resume) => {
          this.#wake = resume;
        });
        continue;
      }
      await this.#parts.mutex.run(() => this.#runOne(batch));
      this.#parts.merger.consider();
    }
  }

  async #runOne(batch: Batch): Promise<void> {
    const { say, work } = this.#parts;
    const started = startBatch(batch, this.#nextUid, nowMicros());
    this.#running = batch;
    say({ kind: "started", batch: started });
    const progress = new Progress(throttled((steps) => say({ kind: "progress", steps })));
    progress.step(0, "processing tasks", 0, 2);
    const requests = noRequests();
    const showing = this.#showRequests(requests);
    const builds: BuildCounts = { total: 0, waited: 0 };
    let result: { change: Change; error: unknown };
    try {
      const change = await perform(
        { ...work, progress, requests, builds, checkpoint: () => this.#checkpoint() },
        batch,
        this.#parts.merger,
      );
      result = { change, error: null };
    } catch (error) {
      result = { change: afterFailure(work, batch), error };
    } finally {
      this.#running = null;
      clearInterval(showing);
    }
    const isDivided = result.error instanceof OneToBlame && batch.tasks.length > 1 && "indexUid" in batch;
    if (isDivided) this.#parts.queue.divide(batch);
    if (isDivided || result.error instanceof BatchAborted) {
      for (const { uid } of batch.tasks) this.#begunAt.set(uid, this.#begunAt.get(uid) ?? started.startedAt);
      say({ kind: "aborted", batchUid: started.uid });
      return;
    }
    progress.step(0, "writing tasks to disk", 1, 2);
    await this.#commit(batch, started, result.change, result.error, () => ({
      progressTrace: progress.trace(),
      ...congestionOf(builds),
      ...sizeChanges(result.change),
      ...requestsOf(requests),
    }));
  }

  /** A provider that is slow or refuses may keep a batch busy for hours: what became of the requests shows meanwhile. */
  #showRequests(requests: RequestCounts): NodeJS.Timeout {
    let shown = 0;
    return setInterval(() => {
      if (requests.total === shown) return;
      shown = requests.total;
      this.#parts.say({ kind: "requests", requests: requestsView(requests) });
    }, REQUESTS_INTERVAL_MS).unref();
  }

  async #commit(
    batch: Batch,
    started: BatchRecord,
    change: Change,
    error: unknown,
    trace: () => BatchTrace,
  ): Promise<void> {
    const { committer, work, queue, say } = this.#parts;
    let finished: FinishedBatch | null = null;
    const save = (now: Micros): void => {
      finished = this.#finish(batch, started, change, error, now, trace());
      saveFinished(work.store, finished);
    };
    try {
      await committer.commit(change, save);
    } catch (problem) {
      say({ kind: "log", level: "error", message: `batch ${started.uid} could not be committed: ${problem}` });
      finished = await this.#failUntilStored(batch, started, problem);
      if (finished === null) {
        say({ kind: "aborted", batchUid: started.uid });
        return;
      }
    }
    this.#nextUid++;
    const done = finished!;
    queue.remove(done.tasks.map((task) => task.uid));
    for (const { uid } of done.tasks) this.#begunAt.delete(uid);
    say({ kind: "finished", event: finishedEvent(done) });
    for (const payload of done.payloads) {
      if (payload.kind === "file") removeLeftover(work.indexes.payloadPath(payload.name));
    }
  }

  /**
   * What was prepared could not be stored: the tasks fail, which takes far less room than their change. Where there is no
   * room even for that, nothing else could be stored either; then it is tried until there is, or until the server stops.
   */
  async #failUntilStored(batch: Batch, started: BatchRecord, problem: unknown): Promise<FinishedBatch | null> {
    const { committer, work } = this.#parts;
    for (let pauseMs = RETRY_MS_MIN; !this.#stopping; pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)) {
      let finished: FinishedBatch | null = null;
      try {
        await committer.commit(unchanged([]), (now) => {
          finished = failBatch(batch, started, asApiError(problem).body(), now);
          saveFinished(work.store, finished);
        });
        return finished;
      } catch {
        await new Promise((resume) => setTimeout(resume, pauseMs));
      }
    }
    return null;
  }

  #finish(
    batch: Batch,
    started: BatchRecord,
    change: Change,
    error: unknown,
    now: Micros,
    trace: BatchTrace,
  ): FinishedBatch {
    const { store } = this.#parts.work;
    if (error !== null) return failBatch(batch, started, asApiError(error).body(), now, trace);
    switch (batch.kind) {
      case "taskCancelation": {
        const pending = (uid: number) => (store.pending.has(uid) ? store.tasks.get(uid) : undefined);
        return finishCancelation(batch, started, pending, now, trace, (uid) => this.#begunAt.get(uid));
      }
      case "taskDeletions":
        return finishTaskDeletions(batch, started, store, now, trace);
      case "indexSwap":
        return finishSwap(batch, started, now, trace);
      default:
        return finishBatch(batch, started, change.outcomes, now, trace);
    }
  }

  #checkpoint(): void {
    if (this.#stopping) throw new BatchAborted("the server stops");
    const running = this.#running;
    if (running !== null && this.#parts.queue.isAimedAt(running.tasks.map((task) => task.uid))) {
      throw new BatchAborted("a cancelation wants one of its tasks");
    }
  }
}

function requestsOf(requests: RequestCounts): Pick<BatchTrace, "embedderRequests"> {
  return requests.total === 0 ? {} : { embedderRequests: requestsView(requests) };
}

function requestsView({ total, failed, lastError }: RequestCounts): EmbedderRequests {
  return { total, failed, ...(lastError === null ? {} : { lastError }) };
}

function congestionOf({ total, waited }: BuildCounts): Pick<BatchTrace, "writeChannelCongestion"> {
  if (total === 0) return {};
  return { writeChannelCongestion: { attempts: total, blocking_attempts: waited, blocking_ratio: waited / total } };
}

/** Sizes that the finished drafts of a change differ in from before. */
function sizeChanges({ put }: Change): Pick<BatchTrace, "internalDatabaseSizes"> {
  const internalDatabaseSizes: Record<string, string> = {};
  const sizes = put.map(({ draft }) => draft.sizes);
  for (const name of ["documents", "searchStructures"] as const) {
    const before = sizes.reduce((sum, each) => sum + each.before[name], 0);
    const after = sizes.reduce((sum, each) => sum + each.after[name], 0);
    if (after === before) continue;
    const sign = after > before ? "+" : "-";
    internalDatabaseSizes[name] = `${readableSize(after)} (${sign}${readableSize(Math.abs(after - before))})`;
  }
  return Object.keys(internalDatabaseSizes).length === 0 ? {} : { internalDatabaseSizes };
}

function throttled<T>(show: (value: T) => void): (value: T) => void {
  let last = 0;
  return (value) => {
    const now = performance.now();
    if (now - last < PROGRESS_INTERVAL_MS) return;
    last = now;
    show(value);
  };
}
