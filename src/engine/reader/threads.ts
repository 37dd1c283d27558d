/**
 * The threads of a reader pool. Piscina owns them; each runs one endless task that drains the request ring. One that dies is
 * replaced, later and later when it dies soon after its start. What is asked of readers is not looked at here.
 */
import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import { serverThread, type ThreadFile } from "../../base/bundle/threads.ts";
import { limits } from "../../base/limits.ts";
import { type Control, readerPin } from "../../storage/memory/control.ts";
import { ByteRing } from "../link/ring.ts";
import { beginTurn } from "../link/slabs.ts";
import type { ReaderMessage, ReaderTask } from "./task.ts";

export interface ReaderThreadOptions {
  control: Control;
  databasePath: string;
  /** Set aside for each reader in every arena; none for readers that never search. */
  workspaceBytes?: number;
  /** For answers that all readers together keep. */
  keptBytes?: number;
  readers: number;
  /** Whether readers use idle time after their start to make their code hot. */
  warmUp?: boolean;
  answerRingBytes?: number;
  /** The module with the thread's `readerLoop`, when it is not the server's own. */
  thread?: ThreadFile;
}

/** What all readers share. */
type SharedByReaders = Pick<
  ReaderTask,
  "requests" | "idleReaders" | "slots" | "wakeFlag" | "stop" | "degraded" | "given"
>;

interface ReaderThreadHooks {
  /** There may be answers in the rings. */
  onAnswers(): void;
  /** What a reader that starts must be told of requests in the ring. */
  untold(): Iterable<ReaderMessage>;
  /** Its thread has ended, and nothing it held will be answered. False when no other is needed in its place. */
  onDeath(reader: number, error: Error): boolean;
  /** Whether readers are still needed. */
  isNeeded(): boolean;
  /** Whether somebody waits for an answer. */
  isAsked(): boolean;
}

interface Seat {
  number: number;
  ring: ByteRing;
  port: MessagePort | null;
  startedAtMs: number;
  /** Deaths in a row soon after the start. */
  earlyDeaths: number;
}

/** A reader that dies this soon would die again: its successor waits, longer each time. */
const EARLY_DEATH_MS = 1000;
const RESTART_DELAY_MS = 50;
const RESTART_DELAY_MS_MAX = 5000;

export class ReaderThreads {
  readonly #options: ReaderThreadOptions;
  readonly #shared: SharedByReaders;
  readonly #hooks: ReaderThreadHooks;
  readonly #piscina: Piscina;
  readonly #seats: Seat[];
  readonly #arenas = new Map<number, WebAssembly.Memory>();
  readonly #ended: Promise<void>[] = [];
  /** Seats whose threads start when another one is up. */
  #later: Seat[] = [];
  #isOpen = false;

  constructor(options: ReaderThreadOptions, shared: SharedByReaders, hooks: ReaderThreadHooks) {
    this.#options = options;
    this.#shared = shared;
    this.#hooks = hooks;
    this.#seats = Array.from({ length: options.readers }, (_, number) => ({
      number,
      ring: ByteRing.create(options.answerRingBytes ?? limits.responseRingBytes),
      port: null,
      startedAtMs: 0,
      earlyDeaths: 0,
    }));
    const thread = options.thread ?? serverThread("engine/reader/thread");
    this.#piscina = new Piscina({
      filename: thread.filename,
      name: "readerLoop",
      execArgv: thread.execArgv,
      minThreads: 0,
      maxThreads: options.readers,
      recordTiming: false,
    });
    // A thread that fails outside a task; the task it had is rejected as well, which is where it is dealt with.
    this.#piscina.on("error", () => {});
  }

  /** Where answers come from. */
  get rings(): ByteRing[] {
    return this.#seats.map(({ ring }) => ring);
  }

  /**
   * Starts the threads; what was asked before waits for them. One that starts takes a core for a while, as does the writer
   * until all is `open`: there is one left for the first. The others come one after the other, when that is over, or before
   * it where nothing is asked that would have the core.
   */
  start(open: Promise<unknown>): void {
    const atOnce = Math.max(1, availableParallelism() - 1);
    this.#later = this.#seats.slice(atOnce);
    for (const seat of this.#seats.slice(0, atOnce)) this.#start(seat);
    void open.then(() => {
      this.#isOpen = true;
      this.#startNext();
    });
  }

  /** Hands an arena to every reader, those to come included. What is published after this call may use it. */
  addArena(id: number, memory: WebAssembly.Memory): void {
    this.#arenas.set(id, memory);
    this.tellAll({ kind: "arena", id, memory });
  }

  /** Readers let go of an arena by themselves; this keeps it from those to come. */
  dropArena(id: number): void {
    this.#arenas.delete(id);
  }

  tellAll(message: ReaderMessage): void {
    for (const seat of this.#seats) seat.port?.postMessage(message);
  }

  /** Once they were told to stop. */
  async end(): Promise<void> {
    await Promise.all(this.#ended);
    await this.#piscina.destroy();
  }

  #startNext(): void {
    const next = this.#hooks.isNeeded() ? this.#later.shift() : undefined;
    if (next !== undefined) this.#start(next);
  }

  #start(seat: Seat): void {
    const { port1, port2 } = new MessageChannel();
    seat.port = port1;
    seat.startedAtMs = Date.now();
    port1.once("message", () => {
      if (this.#isOpen || !this.#hooks.isAsked()) this.#startNext();
    });
    port1.on("message", () => {
      beginTurn();
      this.#hooks.onAnswers();
    });
    for (const [id, memory] of this.#arenas) port1.postMessage({ kind: "arena", id, memory });
    for (const message of this.#hooks.untold()) port1.postMessage(message);
    const task: ReaderTask = {
      ...this.#shared,
      reader: seat.number,
      databasePath: this.#options.databasePath,
      workspaceBytes: this.#options.workspaceBytes ?? 0,
      keptBytes: Math.floor((this.#options.keptBytes ?? 0) / this.#options.readers),
      latelyReadBytes: Math.floor(limits.latelyReadBytes / this.#options.readers),
      warmsUp: this.#options.warmUp ?? false,
      control: this.#options.control.buffer,
      answers: seat.ring.buffer,
      port: port2,
    };
    this.#ended[seat.number] = this.#piscina.run(task, { transferList: [port2] }).then(
      () => this.#leave(seat),
      (error: Error) => this.#replace(seat, error),
    );
  }

  #leave(seat: Seat): void {
    this.#hooks.onAnswers();
    seat.port?.close();
    seat.port = null;
  }

  /** Frees what the dead reader pinned, and puts another in its place. */
  #replace(seat: Seat, error: Error): void {
    this.#leave(seat);
    this.#options.control.unpin(readerPin(seat.number));
    if (!this.#hooks.onDeath(seat.number, error)) return;
    const early = Date.now() - seat.startedAtMs < EARLY_DEATH_MS;
    seat.earlyDeaths = early ? seat.earlyDeaths + 1 : 0;
    if (!early) {
      this.#start(seat);
      return;
    }
    const delayMs = Math.min(RESTART_DELAY_MS_MAX, RESTART_DELAY_MS * 2 ** (seat.earlyDeaths - 1));
    setTimeout(() => {
      if (this.#hooks.isNeeded()) this.#start(seat);
    }, delayMs);
  }
}
