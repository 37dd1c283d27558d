/**
 * The main thread's end of the line to the writer thread: starts it, tells it of new tasks, passes its news on, and
 * starts another one when it dies. What a batch did is decided over there; nothing here looks into a task.
 */
import type { MessagePort } from "node:worker_threads";
import type { Log } from "../../base/log/log.ts";
import { whileNoneLoads } from "../../base/native/loading.ts";
import type { FromWriter, WriterStart } from "../../engine/writer/messages.ts";
import type { Traffic } from "../../storage/blobs/measured.ts";
import type { Change } from "../../storage/store/environment.ts";
import { whenOpen } from "../../storage/store/fault.ts";
import { type FinishedTasks, finishedIn } from "../../storage/tasks/finished-tasks.ts";
import type { BegunBatch, TaskLog } from "../../storage/tasks/log.ts";
import type { FinishedEvent, IndexRenames } from "../../storage/tasks/results.ts";
import { logFailures } from "./failed-tasks.ts";
import { type PreparedWriter, prepareWriter, type WriterThread } from "./writer-thread.ts";

/** Of one batch, or of several. */
export interface Ended {
  tasks: FinishedTasks;
  renames: IndexRenames | null;
}

export interface WriterHost {
  /** What a new writer is started with; asked again for each one, since a port serves only once. */
  start(): { data: WriterStart; transfer: MessagePort[] };
  /** Hands a new memory to every thread; resolves when all can find it. */
  addArena(arena: number, memory: WebAssembly.Memory): Promise<void>;
  removeArena(arena: number): void;
  /** At the start: some more indexes can be read. */
  onShown(): void;
  tasks: Pick<
    TaskLog,
    "onStarted" | "onProgress" | "onRequests" | "onAborted" | "onFinished" | "onWriterReplaced" | "finishedIn"
  >;
  onFinished(ended: Ended): void;
  /** Of several servers: calls `show` when clients may hear of the batch. */
  whenShown?(batchUid: number, show: () => void): void;
  /** It shows all that was stored when it began, up to this record of the journal. */
  onReady?(number: number): void;
  /** Of a server that follows another: the changes of this record of the journal are shown. */
  onFollowed?(number: number): void;
  /** Of several servers: files that were put where the others find them. */
  onShared?(traffic: Traffic): void;
  /** What has to be done between the end of one writer and the start of the next. */
  beforeNext(): Promise<void>;
  log: Log;
  /** The first writer, if it has been started already. */
  first?: PreparedWriter;
  /** Starts another one. */
  prepare?: () => PreparedWriter;
}

/** A writer that dies at once is started again ever more slowly. */
const RESTART_MS_MIN = 100;
const RESTART_MS_MAX = 30_000;
const STOP_MS_MAX = 30_000;
/** One writer may die of what it met; this many in a row mean that none can work at all. */
const DEATHS_MAX = 3;

export class WriterLink {
  readonly #host: WriterHost;
  #first: PreparedWriter | null;
  #thread: WriterThread | null = null;
  #waitingUids: number[] = [];
  /** Whether the writer runs tasks; one that follows another server does not, and need not know of them. */
  #runsTasks = true;
  /** Batches that the writer has begun and said no more of. Those of one that ended may have been committed all the same. */
  readonly #begun = new Map<number, BegunBatch>();
  #restartMs = RESTART_MS_MIN;
  #stopping = false;
  /** Threads that ended, or could not be started, since one was ready. */
  #deaths = 0;
  /** Whether the thread that starts stands in for one that died. */
  #replaces = false;
  /** Whether the thread that ends does so because it has another part to play from now on. */
  #isExpected = false;
  #stopped: (() => void) | null = null;
  #ready: (() => void) | null = null;

  constructor(host: WriterHost) {
    this.#host = host;
    this.#first = host.first ?? null;
  }

  /** Resolves when what is on disk is published and batches run. */
  async start(): Promise<void> {
    const ready = new Promise<void>((resolve) => {
      this.#ready = resolve;
    });
    this.#spawn();
    await ready;
  }

  /** Tells the writer, together with the other tasks of this turn. A writer that starts reads the store instead. */
  enqueued(uid: number): void {
    if (!this.#runsTasks) return;
    this.#waitingUids.push(uid);
    if (this.#waitingUids.length > 1) return;
    queueMicrotask(() => {
      const uids = this.#waitingUids;
      this.#waitingUids = [];
      this.#thread?.postMessage({ kind: "tasks", uids });
    });
  }

  /** Tells a writer that starts which index somebody waits for. */
  want(uid: string): void {
    this.#thread?.postMessage({ kind: "wanted", uid });
  }

  /** Lets the running batch finish or be given up, within a bound; what is left stays enqueued. */
  async stop(msMax = STOP_MS_MAX): Promise<void> {
    this.#stopping = true;
    const thread = this.#thread;
    if (thread === null) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#stopped = resolve;
      timer = setTimeout(resolve, msMax);
      thread.postMessage({ kind: "stop" });
    });
    clearTimeout(timer);
    await whileNoneLoads(() => thread.terminate());
  }

  /** False while one writer after the other dies before it has begun to work, or cannot be started. */
  get canWrite(): boolean {
    return this.#deaths < DEATHS_MAX;
  }

  /** Tells a writer that follows what to show. One that starts reads the store instead. */
  follow(number: number, changes: readonly Change[], elsewhere: readonly number[]): void {
    this.#thread?.postMessage({ kind: "follow", number, changes, elsewhere });
  }

  /** Tells a writer that follows which indexes are not held here. */
  place(elsewhere: readonly number[]): void {
    this.#thread?.postMessage({ kind: "place", elsewhere });
  }

  /** Ends the writer as it is; another one takes over from what is on disk. */
  replace(isExpected = false): void {
    this.#restartMs = 0;
    this.#isExpected = isExpected;
    void whileNoneLoads(() => this.#thread?.terminate());
  }

  #spawn(): void {
    const { data, transfer } = this.#host.start();
    this.#runsTasks = data.shared?.leads !== false;
    const begin = this.#first ?? (this.#host.prepare ?? prepareWriter)();
    this.#first = null;
    const thread = begin(data, transfer);
    this.#thread = thread;
    thread.on("message", (message) => this.#hear(thread, message));
    thread.on("error", (error) => {
      this.#host.log.error("writer", "the writer thread failed", { cause: error.stack ?? error.message });
    });
    thread.on("exit", (code) => this.#onExit(code));
  }

  #hear(thread: WriterThread, message: FromWriter): void {
    const { tasks, log } = this.#host;
    switch (message.kind) {
      case "shown":
        this.#host.onShown();
        break;
      case "ready":
        if (this.#replaces) {
          tasks.onWriterReplaced();
          this.#tellOfFound();
        }
        this.#replaces = false;
        this.#restartMs = RESTART_MS_MIN;
        this.#deaths = 0;
        this.#ready?.();
        this.#host.onReady?.(message.number);
        break;
      case "started":
        this.#begun.set(message.batch.uid, { uid: message.batch.uid, startedAt: message.batch.startedAt });
        tasks.onStarted(message.batch);
        break;
      case "progress":
        tasks.onProgress(message.batchUid, message.steps);
        break;
      case "requests":
        tasks.onRequests(message.batchUid, message.requests);
        break;
      case "aborted":
        this.#begun.delete(message.batchUid);
        tasks.onAborted(message.batchUid);
        break;
      case "finished":
        this.#finish(message.event);
        break;
      case "arena":
        this.#host.addArena(message.arena, message.memory).then(
          () => thread.postMessage({ kind: "arenaReady", arena: message.arena }),
          (error: Error) => log.error("writer", "a memory could not be handed over", { cause: error.message }),
        );
        break;
      case "followed":
        this.#host.onFollowed?.(message.number);
        break;
      case "shared":
        this.#host.onShared?.(message.traffic);
        break;
      case "arenaGone":
        this.#host.removeArena(message.arena);
        break;
      case "log":
        log[message.level]("writer", message.message);
        break;
      case "stopped":
        this.#stopped?.();
        break;
    }
  }

  /** When the store is being opened anew just now, yet another writer will follow. */
  #tellOfFound(): void {
    whenOpen(() => {
      const tasks = this.#host.tasks.finishedIn(this.#begun.values());
      this.#begun.clear();
      if (tasks.length === 0) return;
      this.#host.log.info("writer", "tasks were finished by a writer that ended", { tasks: tasks.length });
      this.#host.onFinished({ tasks: { count: tasks.length, heads: () => tasks }, renames: null });
    });
  }

  #finish(event: FinishedEvent): void {
    const { tasks, log, whenShown } = this.#host;
    const { batch, renames } = event;
    const ended = finishedIn(event.tasks, batch.stats.totalNbTasks);
    this.#begun.delete(batch.uid);
    const show = (): void => {
      tasks.onFinished(event);
      this.#host.onFinished({ tasks: ended, renames });
    };
    if (whenShown === undefined) show();
    else whenShown(batch.uid, show);
    if ((batch.stats.status.failed ?? 0) > 0) logFailures(batch, ended.heads(), log);
    log.info("writer", "a batch is finished", { batch: batch.uid, ...batch.stats.status });
  }

  #onExit(code: number): void {
    this.#thread = null;
    this.#replaces = true;
    this.#deaths++;
    if (this.#stopping) {
      this.#stopped?.();
      return;
    }
    // The tasks of its batches wait again; what it has committed all the same, the next writer finds in the store.
    this.#host.tasks.onAborted("all");
    if (!this.#isExpected) {
      const inMs = this.#restartMs;
      this.#host.log.error("writer", "the writer thread ended; another one is started", { code, inMs });
    }
    this.#isExpected = false;
    const next = async (): Promise<void> => {
      if (this.#stopping) return;
      try {
        await this.#host.beforeNext();
      } catch (error) {
        this.#deaths++;
        this.#host.log.error("writer", "no writer can be started", { cause: (error as Error).message });
        this.#later(next);
        return;
      }
      if (!this.#stopping) this.#spawn();
    };
    this.#later(next);
  }

  #later(next: () => Promise<void>): void {
    setTimeout(() => void next(), this.#restartMs);
    this.#restartMs = Math.min(Math.max(this.#restartMs * 2, RESTART_MS_MIN), RESTART_MS_MAX);
  }
}
