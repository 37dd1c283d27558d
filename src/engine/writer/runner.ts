/**
 * Runs batches, one after the other: takes the next from the queue and sees it to its end, or until it steps aside to wait
 * for another server; then those of other indexes go on. Where one task of several may be to blame, they are tried again in
 * smaller batches, so that it fails alone.
 */
import { Pace } from "../../base/time/pace.ts";
import type { Micros } from "../../base/time/time.ts";
import type { Batch, IndexInfo } from "../../storage/tasks/batch.ts";
import type { TaskQueue } from "../../storage/tasks/queue.ts";
import { nextBatchUid } from "../../storage/tasks/results.ts";

import { BatchRun, type RunEnd, type RunHost } from "./batch-run.ts";
import type { Committer } from "./commit.ts";
import type { Merger } from "./merges.ts";
import type { FromWriter } from "./messages.ts";
import type { Mutex } from "./mutex.ts";
import type { Work } from "./work.ts";

/** Batches that wait aside keep their documents in memory. */
const ASIDE_MAX = 16;
/**
 * Of tasks: a segment, its commit and what readers are told cost as much as some dozens of small ones. Where many come all the time, the
 * next batch takes those of some more milliseconds.
 */
const MANY_TASKS = { doneAMs: 4, msMax: 32 };

export interface RunnerParts {
  work: Omit<Work, "progress" | "checkpoint" | "patiently" | "moveTo" | "requests" | "builds">;
  queue: TaskQueue;
  committer: Committer;
  merger: Merger;
  mutex: Mutex;
  say(message: FromWriter, moved?: ArrayBuffer[]): void;
}

export class Runner implements RunHost {
  readonly begunAt = new Map<number, Micros>();
  readonly #parts: RunnerParts;
  readonly #info: IndexInfo;
  /** Batches that wait aside, and their ends. */
  readonly #aside = new Map<BatchRun, Promise<void>>();
  /** Indexes whose batches were given up because too many waited; held until one of these is done, first come, first served. */
  readonly #deferred: string[] = [];
  readonly #pace = new Pace(MANY_TASKS);
  #wake: (() => void) | null = null;
  #stopping = false;
  #nextUid: number;
  /** Why a batch that had stepped aside could not be seen to its end. */
  #failure: { problem: unknown } | null = null;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const { indexes, store } = parts.work;
    this.#info = {
      exists: (uid) => indexes.get(uid) !== null,
      primaryKey: (uid) => indexes.get(uid)?.manifest.primaryKey ?? null,
    };
    this.#nextUid = nextBatchUid(store);
  }

  /** New tasks are in the queue, or others may run now. */
  wake(): void {
    this.#wake?.();
    this.#wake = null;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Whether there is nothing that could be done now. */
  get isIdle(): boolean {
    return this.#wake !== null;
  }

  mayStepAside(): boolean {
    return this.#aside.size < ASIDE_MAX;
  }

  stop(): void {
    this.#stopping = true;
    this.#pace.hurry();
    this.wake();
  }

  /** Ends only after `stop`. */
  async run(): Promise<void> {
    const { queue, mutex, merger } = this.#parts;
    while (!this.#stopping) {
      if (this.#failure !== null) throw this.#failure.problem;
      const batch = queue.next(this.#info, mutex.held, this.#underWay());
      if (batch === null) {
        await new Promise<void>((resume) => {
          this.#wake = resume;
        });
        continue;
      }
      await this.#giveUpFor(batch);
      await mutex.run(() => this.#take(batch));
      merger.consider();
      this.#pace.made(batch.tasks.length);
      await this.#pace.turn();
    }
    await Promise.all(this.#aside.values());
  }

  /** Tasks of batches aside that hold no index of their own. */
  #underWay(): Set<number> {
    const exports = [...this.#aside.keys()].filter(({ indexUid }) => indexUid === null);
    return new Set(exports.flatMap(({ batch }) => batch.tasks.map(({ uid }) => uid)));
  }

  /** A cancelation waits until the batches aside that it wants are given up, or committed. */
  async #giveUpFor(batch: Batch): Promise<void> {
    const content = batch.tasks[0]?.content;
    if (content?.type !== "taskCancelation") return;
    const wanted = new Set(content.matchedUids);
    for (const [run, end] of this.#aside) {
      if (run.batch.tasks.some(({ uid }) => wanted.has(uid))) await end;
    }
  }

  /** Resolves when the next one may have its turn. */
  async #take(batch: Batch): Promise<void> {
    const run = new BatchRun(this.#parts, this, batch, this.#nextUid++);
    const ended = run.run();
    const end = await Promise.race([ended, run.aside.begun]);
    if (end !== undefined) this.#settle(run, end);
    else this.#aside.set(run, this.#awaitEnd(run, ended));
  }

  async #awaitEnd(run: BatchRun, ended: Promise<RunEnd>): Promise<void> {
    try {
      this.#settle(run, await ended);
    } catch (problem) {
      this.#failure = { problem };
    }
    this.#aside.delete(run);
    run.aside.release();
    const next = this.#deferred.shift();
    if (next !== undefined) this.#parts.mutex.release(next);
    this.#parts.merger.consider();
    this.wake();
  }

  /** The number of the last batch is given again when nothing came of it. */
  #settle({ uid, indexUid, aside }: BatchRun, end: RunEnd): void {
    if (end === "aborted" && this.#nextUid === uid + 1) this.#nextUid = uid;
    if (!aside.isDeferred || end === "committed" || this.#aside.size === 0) return;
    this.#parts.mutex.hold(indexUid!);
    this.#deferred.push(indexUid!);
  }
}
