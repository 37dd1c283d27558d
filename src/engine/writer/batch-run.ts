/**
 * One batch from its start to its end: has it worked on, commits what came of it and tells the front. A batch that fails
 * changes nothing but its tasks; one that is aborted changes nothing at all.
 *
 * Work that waits for an embedder, or for the server that it exports to, steps aside (`aside.ts`): others have their turn
 * meanwhile, and it asks for one again to commit.
 */

import type { BatchRecord } from "../../base/contract/task.ts";
import { removeLeftover } from "../../base/files/leftover.ts";
import type { Micros } from "../../base/time/time.ts";
import { nowMicros } from "../../base/time/time.ts";
import type { Batch } from "../../storage/tasks/batch.ts";
import {
  type BatchTrace,
  type FinishedBatch,
  type FinishedEvent,
  failBatch,
  finishBatch,
  finishCancelation,
  finishSwap,
  finishTaskDeletions,
  saveFinished,
  startBatch,
} from "../../storage/tasks/results.ts";
import { noRequests } from "../vector/embed/messages.ts";
import { Aside } from "./aside.ts";
import { afterFailure, perform } from "./batches.ts";
import { OneToBlame } from "./blame.ts";
import { Progress } from "./progress.ts";
import type { RunnerParts } from "./runner.ts";
import { congestionOf, requestsOf, requestsView, sizeChanges, throttled } from "./trace.ts";
import { asApiError, BatchAborted, type BuildCounts, type Change, unchanged, type Work } from "./work.ts";

const REQUESTS_INTERVAL_MS = 250;
/** Between two tries to store that a batch has failed. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;

export interface RunHost {
  readonly isStopping: boolean;
  /** When work on tasks had begun that were given up unfinished. */
  readonly begunAt: Map<number, Micros>;
  /** Whether one more batch may wait aside. */
  mayStepAside(): boolean;
}

/** What came of a batch, and what the front is told of it. */
interface Finished {
  result: FinishedBatch;
  event: FinishedEvent;
}

/** How a run ended: with a commit, whatever became of its tasks, or given up without one. */
export type RunEnd = "committed" | "aborted";

export class BatchRun {
  readonly batch: Batch;
  readonly aside: Aside;
  readonly #parts: RunnerParts;
  readonly #host: RunHost;
  readonly #started: BatchRecord;
  readonly #progress: Progress;
  readonly #requests = noRequests();
  readonly #builds: BuildCounts = { total: 0, waited: 0 };
  #isPrepared = false;

  constructor(parts: RunnerParts, host: RunHost, batch: Batch, uid: number) {
    this.#parts = parts;
    this.#host = host;
    this.batch = batch;
    this.#started = startBatch(batch, uid, nowMicros());
    this.#progress = new Progress(throttled((steps) => parts.say({ kind: "progress", batchUid: uid, steps })));
    // One that works on no index in particular waits for one server only, and there is one such batch at a time.
    const mayBegin = (): boolean => (this.indexUid === null ? batch.kind === "export" : host.mayStepAside());
    this.aside = new Aside(parts.mutex, this.indexUid, mayBegin);
  }

  get uid(): number {
    return this.#started.uid;
  }

  get indexUid(): string | null {
    return "indexUid" in this.batch ? this.batch.indexUid : null;
  }

  /** Called by whoever has the turn, and has it until this is done or has stepped aside. */
  async run(): Promise<RunEnd> {
    const { say, mutex } = this.#parts;
    say({ kind: "started", batch: this.#started });
    this.#progress.step(0, "processing tasks", 0, 2);
    const { change, error } = await this.#prepare();
    if (this.#isGivenUp(error)) return "aborted";
    const commit = () => this.#commit(change ?? afterFailure(this.#parts.work, this.batch), error);
    return this.aside.isAside ? mutex.run(commit) : commit();
  }

  /** The change is null when it failed. */
  async #prepare(): Promise<{ change: Change | null; error: unknown }> {
    const { work, merger } = this.#parts;
    const showing = this.#showRequests();
    const own: Work = {
      ...work,
      embed: this.#patientEmbed(),
      progress: this.#progress,
      requests: this.#requests,
      builds: this.#builds,
      patiently: (call) => this.aside.patiently(call),
      moveTo: (uid) => this.aside.moveTo(uid, own.checkpoint),
      checkpoint: () => this.#checkpoint(),
    };
    try {
      return { change: await perform(own, this.batch, merger), error: null };
    } catch (error) {
      return { change: null, error };
    } finally {
      this.#isPrepared = true;
      this.aside.end();
      clearInterval(showing);
    }
  }

  #patientEmbed(): Work["embed"] {
    const { embed } = this.#parts.work;
    return {
      embedDocuments: (...asked) => this.aside.patiently(embed.embedDocuments(...asked)),
      dimensions: (...asked) => this.aside.patiently(embed.dimensions(...asked)),
    };
  }

  #isGivenUp(error: unknown): boolean {
    const { batch } = this;
    const isDivided = error instanceof OneToBlame && batch.tasks.length > 1 && "indexUid" in batch;
    if (isDivided) this.#parts.queue.divide(batch);
    if (!isDivided && !(error instanceof BatchAborted)) return false;
    const { begunAt } = this.#host;
    for (const { uid } of batch.tasks) begunAt.set(uid, begunAt.get(uid) ?? this.#started.startedAt);
    this.#parts.say({ kind: "aborted", batchUid: this.uid });
    return true;
  }

  /** A provider that is slow or refuses may keep a batch busy for hours: what became of the requests shows meanwhile. */
  #showRequests(): NodeJS.Timeout {
    let shown = 0;
    return setInterval(() => {
      if (this.#requests.total === shown) return;
      shown = this.#requests.total;
      this.#parts.say({ kind: "requests", batchUid: this.uid, requests: requestsView(this.#requests) });
    }, REQUESTS_INTERVAL_MS).unref();
  }

  async #commit(change: Change, error: unknown): Promise<RunEnd> {
    const { committer, work, queue, say } = this.#parts;
    this.#progress.step(0, "writing tasks to disk", 1, 2);
    let finished: Finished | null = null;
    const save = (now: Micros): void => {
      finished = saved(work.store, this.#finish(change, error, now));
    };
    try {
      await committer.commit(change, save);
    } catch (problem) {
      say({ kind: "log", level: "error", message: `batch ${this.uid} could not be committed: ${problem}` });
      finished = await this.#failUntilStored(problem);
      if (finished === null) {
        say({ kind: "aborted", batchUid: this.uid });
        return "aborted";
      }
    }
    const { result, event } = finished!;
    queue.remove(result.tasks.map((task) => task.uid));
    for (const { uid } of result.tasks) this.#host.begunAt.delete(uid);
    say({ kind: "finished", event }, [event.tasks.buffer as ArrayBuffer]);
    for (const payload of result.payloads) {
      if (payload.kind === "file") removeLeftover(work.indexes.payloadPath(payload.name));
    }
    return "committed";
  }

  /**
   * What was prepared could not be stored: the tasks fail, which takes far less room than their change. Where there is no
   * room even for that, nothing else could be stored either; then it is tried until there is, or until the server stops.
   */
  async #failUntilStored(problem: unknown): Promise<Finished | null> {
    const { committer, work } = this.#parts;
    for (let pauseMs = RETRY_MS_MIN; !this.#host.isStopping; pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)) {
      let finished: Finished | null = null;
      try {
        await committer.commit(unchanged([]), (now) => {
          finished = saved(work.store, failBatch(this.batch, this.#started, asApiError(problem).body(), now));
        });
        return finished;
      } catch {
        await new Promise((resume) => setTimeout(resume, pauseMs));
      }
    }
    return null;
  }

  #finish(change: Change, error: unknown, now: Micros): FinishedBatch {
    const { store } = this.#parts.work;
    const { batch } = this;
    const started = this.#started;
    const trace: BatchTrace = {
      progressTrace: this.#progress.trace(),
      ...congestionOf(this.#builds),
      ...sizeChanges(change),
      ...requestsOf(this.#requests),
    };
    if (error !== null) return failBatch(batch, started, asApiError(error).body(), now, trace);
    switch (batch.kind) {
      case "taskCancelation": {
        const pending = (uid: number) => (store.pending.has(uid) ? store.tasks.get(uid) : undefined);
        return finishCancelation(batch, started, pending, now, trace, (uid) => this.#host.begunAt.get(uid));
      }
      case "taskDeletions":
        return finishTaskDeletions(batch, started, store, now, trace);
      case "indexSwap":
        return finishSwap(batch, started, now, trace);
      case "documents":
      case "clear":
      case "settings":
      case "clearAndSettings":
      case "documentEdition":
      case "indexCreation":
      case "indexUpdate":
      case "indexDeletion":
      case "indexCompaction":
      case "searchRules":
      case "dump":
      case "snapshots":
      case "export":
      case "upgradeDatabase":
      case "networkTopologyChange":
        return finishBatch(batch, started, change.outcomes, now, trace);
    }
  }

  #checkpoint(): void {
    if (this.#host.isStopping) throw new BatchAborted("the server stops");
    if (this.aside.isDeferred) throw new BatchAborted("too many batches wait for embedders");
    if (!this.#isPrepared && this.#parts.queue.isAimedAt(this.batch.tasks)) {
      throw new BatchAborted("a cancelation wants one of its tasks");
    }
  }
}

function saved(store: Work["store"], result: FinishedBatch): Finished {
  return { result, event: saveFinished(store, result) };
}
