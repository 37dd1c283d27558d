/**
 * The reader threads as the front sees them: `request` in, answer out. Piscina owns the threads; each runs one endless
 * task that drains the request ring. A reader that dies is replaced, and only the requests it held fail. The front
 * never waits here and never looks into a request or an answer.
 */
import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import { internalError, tooManySearches } from "../contract/errors.ts";
import { limits } from "../limits.ts";
import { Bell } from "../link/answers.ts";
import type { Coding } from "../link/coding.ts";
import {
  type ContentType,
  decodeAnswer,
  encodeRequest,
  type ReaderRequests,
  type RequestKind,
} from "../link/requests.ts";
import { ByteRing } from "../link/ring.ts";
import { beginTurn, slabCopy, turnRoom } from "../link/slabs.ts";
import { Sleepers } from "../link/sleepers.ts";
import { RequestIds, Slots, slotOf } from "../link/slots.ts";
import { serverThread, type ThreadFile } from "../link/threads.ts";
import { type Control, readerPin } from "../memory/control.ts";
import type { LargeRequest, ReaderMessage, ReaderTask } from "./task.ts";
import { type Waiter, Waiting } from "./waiting.ts";

export interface ReaderAnswer {
  status: number;
  contentType: ContentType;
  body: Uint8Array;
  /** Null for a body that is not compressed. */
  coding: Coding | null;
  /** Null for an answer that cannot be given again. */
  marks: Buffer | null;
}

/** Whoever asked: a request whose client hung up is not worked on. */
export interface Caller {
  readonly aborted: boolean;
  onAbort(stop: () => void): void;
}

export interface ReaderPoolOptions {
  control: Control;
  databasePath: string;
  /** Set aside for each reader in every arena; none for readers that never search. */
  workspaceBytes?: number;
  /** For answers that all readers together keep. */
  keptBytes?: number;
  readers: number;
  /** Whether readers use idle time after their start to make their code hot. */
  rehearse?: boolean;
  /** Requests that may wait; one more is answered with 503. */
  queuedRequestsMax?: number;
  requestRingBytes?: number;
  answerRingBytes?: number;
  /** The module with the thread's `readerLoop`, when it is not the server's own. */
  thread?: ThreadFile;
  onReaderDeath?: (error: Error) => void;
}

interface Pending extends Waiter {
  id: number;
  /** Null once it is sent. */
  unsent: { head: Uint8Array; payload: Uint8Array | null } | null;
  resolve(answer: ReaderAnswer): void;
  /** Of an answer in several pieces: the body so far. */
  body: Uint8Array | null;
  received: number;
  /** Whether whoever asked makes do with bytes that are soon overwritten. */
  borrows: boolean;
  large: LargeRequest | null;
}

interface ReaderSeat {
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
/** Longer requests travel as a message of their own, so that one of them cannot block the ring for the others. */
const RING_SHARE_PER_REQUEST = 1 / 4;

export class ReaderPool {
  readonly #options: ReaderPoolOptions;
  readonly #piscina: Piscina;
  readonly #requests: ByteRing;
  readonly #sleepers: Sleepers;
  readonly #slots = new Slots();
  readonly #bell = new Bell();
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  readonly #degraded = new Int32Array(new SharedArrayBuffer(4));
  readonly #ids = new RequestIds();
  /** By slot. */
  readonly #pending = new Map<number, Pending>();
  readonly #pendingMax: number;
  readonly #waiting: Waiting<Pending>;
  readonly #seats: ReaderSeat[];
  readonly #arenas = new Map<number, WebAssembly.Memory>();
  readonly #ended: Promise<void>[] = [];
  /** Seats whose threads start when another one is up. */
  #later: ReaderSeat[] = [];
  #whenIdle: (() => void) | null = null;
  #stopping = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
    this.#requests = ByteRing.create(options.requestRingBytes ?? limits.requestRingBytes);
    this.#sleepers = Sleepers.create(options.readers);
    this.#pendingMax = (options.queuedRequestsMax ?? limits.queuedRequests) + options.readers;
    this.#waiting = new Waiting(options.readers);
    this.#seats = Array.from({ length: options.readers }, (_, number) => ({
      number,
      ring: ByteRing.create(options.answerRingBytes ?? limits.responseRingBytes),
      port: null,
      startedAtMs: 0,
      earlyDeaths: 0,
    }));
    const thread = options.thread ?? serverThread("reader/thread");
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

  /**
   * Starts the threads; what was asked before waits for them. One that starts takes a core for a while, as does the writer
   * until all is `open`: there is one left for the first, and the others come when it is over, one after the other.
   */
  start(open: Promise<unknown> = Promise.resolve()): void {
    const atOnce = Math.max(1, availableParallelism() - 1);
    for (const seat of this.#seats.slice(0, atOnce)) this.#start(seat);
    void open.then(() => {
      this.#later = this.#seats.slice(atOnce);
      this.#startNext();
    });
  }

  /** Requests sent and not yet answered. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Searches that their deadline cut off, since the start. */
  get degraded(): number {
    return Atomics.load(this.#degraded, 0);
  }

  /**
   * Resolves with the complete answer, error answers included; with an empty one when the caller hung up before a reader
   * began. Rejects with the error to answer when no more requests may wait. Who `borrows` has the bytes of an answer that can be
   * given again, which is sent at once, only until this thread is back at its event loop.
   */
  request<K extends RequestKind>(
    kind: K,
    header: ReaderRequests[K],
    payload: Uint8Array | null = null,
    caller: Caller | null = null,
    borrows = false,
  ): Promise<ReaderAnswer> {
    return new Promise((resolve) => {
      this.admit();
      const id = this.#ids.take();
      if (id < 0) throw this.#full();
      const slot = slotOf(id);
      const head = encodeRequest(id, kind, header);
      const bytes = head.length + (payload?.length ?? 0);
      const lane = this.#waiting.laneOf(laneName(kind, header));
      const isLong = LONG_KINDS.has(kind);
      const pending: Pending = {
        id,
        resolve,
        body: null,
        received: 0,
        borrows,
        large: null,
        lane,
        isLong,
        bytes,
        sentAt: 0,
        sentAs: 0,
        unsent: null,
      };
      this.#slots.clear(slot);
      if (!this.#waiting.mayGo(pending) || !this.#send(pending, head, payload)) {
        if (this.#waiting.bytes + bytes > limits.waitingBytes) {
          this.#ids.giveBack(id);
          throw this.#full();
        }
        // What is encoded next takes its place.
        pending.unsent = { head: slabCopy(head), payload };
        this.#waiting.add(pending);
      }
      this.#pending.set(slot, pending);
      caller?.onAbort(() => {
        if (this.#pending.get(slot) === pending) this.#slots.cancel(slot);
      });
    });
  }

  /** Throws the error to answer when no more requests may wait. */
  admit(): void {
    if (this.#stopping || this.#pending.size >= this.#pendingMax) throw this.#full();
  }

  /** Hands an arena to every reader, those to come included. What is published after this call may use it. */
  addArena(id: number, memory: WebAssembly.Memory): void {
    this.#arenas.set(id, memory);
    this.#tellAll({ kind: "arena", id, memory });
  }

  /** Readers let go of an arena by themselves; this keeps it from those to come. */
  dropArena(id: number): void {
    this.#arenas.delete(id);
  }

  /** Takes no more requests, waits for the answers under way, ends the threads. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    Atomics.store(this.#stop, 0, 1);
    this.#sleepers.wakeAll();
    await Promise.all(this.#ended);
    await this.#piscina.destroy();
  }

  #full(): Error {
    return tooManySearches(this.#options.queuedRequestsMax ?? limits.queuedRequests);
  }

  /** False when the ring has no room, which is there again when requests in it are answered. */
  #send(pending: Pending, head: Uint8Array, payload: Uint8Array | null): boolean {
    if (!this.#push(pending, head, payload)) return false;
    this.#waiting.sent(pending);
    this.#sleepers.wakeOne();
    return true;
  }

  /** Sends what may go now. */
  #sendWaiting(): void {
    for (let next = this.#waiting.next(); next !== null; next = this.#waiting.next()) {
      const { head, payload } = next.unsent!;
      if (this.#slots.isCanceled(slotOf(next.id))) this.#forget(next, CANCELED);
      else if (this.#send(next, head, payload)) next.unsent = null;
      else {
        this.#waiting.add(next);
        return;
      }
    }
  }

  #push(pending: Pending, head: Uint8Array, payload: Uint8Array | null): boolean {
    if (pending.bytes <= this.#requests.recordBytesMax * RING_SHARE_PER_REQUEST)
      return this.#requests.push(head, payload);
    pending.large = { head: shared(head), payload: shared(payload ?? NOTHING) };
    this.#tellAll({ kind: "large", requestId: pending.id, request: pending.large });
    if (this.#requests.push(head.subarray(0, 4), null)) return true;
    this.#tellAll({ kind: "forget", requestId: pending.id });
    return false;
  }

  #tellAll(message: ReaderMessage): void {
    for (const seat of this.#seats) seat.port?.postMessage(message);
  }

  #startNext(): void {
    const next = this.#stopping ? undefined : this.#later.shift();
    if (next !== undefined) this.#start(next);
  }

  #start(seat: ReaderSeat): void {
    const { port1, port2 } = new MessageChannel();
    seat.port = port1;
    seat.startedAtMs = Date.now();
    port1.once("message", () => this.#startNext());
    port1.on("message", () => {
      beginTurn();
      this.#drain();
    });
    for (const [id, memory] of this.#arenas) port1.postMessage({ kind: "arena", id, memory });
    for (const { id, large } of this.#pending.values()) {
      if (large !== null) port1.postMessage({ kind: "large", requestId: id, request: large });
    }
    const task: ReaderTask = {
      reader: seat.number,
      databasePath: this.#options.databasePath,
      workspaceBytes: this.#options.workspaceBytes ?? 0,
      keptBytes: Math.floor((this.#options.keptBytes ?? 0) / this.#options.readers),
      latelyReadBytes: Math.floor(limits.latelyReadBytes / this.#options.readers),
      rehearses: this.#options.rehearse ?? false,
      control: this.#options.control.buffer,
      requests: this.#requests.buffer,
      sleepers: this.#sleepers.buffer,
      answers: seat.ring.buffer,
      slots: this.#slots.buffer,
      bell: this.#bell.buffer,
      stop: this.#stop.buffer as SharedArrayBuffer,
      degraded: this.#degraded.buffer as SharedArrayBuffer,
      port: port2,
    };
    this.#ended[seat.number] = this.#piscina.run(task, { transferList: [port2] }).then(
      () => this.#leave(seat),
      (error: Error) => this.#bury(seat, error),
    );
  }

  #leave(seat: ReaderSeat): void {
    this.#drain();
    seat.port?.close();
    seat.port = null;
  }

  /** Fails what the dead reader held, frees what it pinned, and puts another in its place. */
  #bury(seat: ReaderSeat, error: Error): void {
    this.#leave(seat);
    this.#options.control.unpin(readerPin(seat.number));
    // What the dead reader was woken for is for the others.
    this.#sleepers.wakeAll();
    const answer = answerOf(internalError(new Error("the thread that worked on the request died")));
    for (const pending of [...this.#pending.values()]) {
      if (this.#slots.owner(slotOf(pending.id)) === seat.number) this.#settle(pending, answer);
    }
    if (this.#stopping && this.#pending.size === 0) return;
    this.#options.onReaderDeath?.(error);
    const early = Date.now() - seat.startedAtMs < EARLY_DEATH_MS;
    seat.earlyDeaths = early ? seat.earlyDeaths + 1 : 0;
    if (!early) {
      this.#start(seat);
      return;
    }
    const delayMs = Math.min(RESTART_DELAY_MS_MAX, RESTART_DELAY_MS * 2 ** (seat.earlyDeaths - 1));
    setTimeout(() => {
      if (!this.#stopping || this.#pending.size > 0) this.#start(seat);
    }, delayMs);
  }

  #drain(): void {
    this.#bell.silence();
    for (const { ring } of this.#seats) {
      let took = false;
      for (let bytes = ring.take(turnRoom); bytes !== null; bytes = ring.take(turnRoom)) {
        took = true;
        this.#receive(bytes);
      }
      if (took) ring.signalDrained();
    }
  }

  #receive(bytes: Buffer): void {
    const { id, status, contentType, coding, bodyBytes, more, marks, piece } = decodeAnswer(bytes);
    const pending = this.#pending.get(slotOf(id));
    if (pending === undefined || pending.id !== id) return;
    let body: Uint8Array = piece;
    if (more || pending.body !== null) {
      pending.body ??= Buffer.allocUnsafeSlow(bodyBytes);
      pending.body.set(piece, pending.received);
      pending.received += piece.length;
      if (more) return;
      body = pending.body;
    } else if (!pending.borrows || marks === null) body = slabCopy(piece);
    const ownMarks = pending.borrows || marks === null ? marks : slabCopy(marks);
    this.#settle(pending, { status, contentType, body, coding, marks: ownMarks });
  }

  #settle(pending: Pending, answer: ReaderAnswer): void {
    if (pending.unsent === null) this.#waiting.answered(pending);
    this.#forget(pending, answer);
    this.#sendWaiting();
  }

  #forget(pending: Pending, answer: ReaderAnswer): void {
    this.#pending.delete(slotOf(pending.id));
    this.#ids.giveBack(pending.id);
    if (pending.large !== null) this.#tellAll({ kind: "forget", requestId: pending.id });
    pending.resolve(answer);
    if (this.#pending.size === 0) this.#whenIdle?.();
  }
}

const NOTHING = new Uint8Array(0);
/** Nobody waits for it. */
const CANCELED: ReaderAnswer = {
  status: 499,
  contentType: "application/json",
  body: NOTHING,
  coding: null,
  marks: null,
};
/** Bodies that readers read take longer than what has been read already. */
const LONG_KINDS: ReadonlySet<RequestKind> = new Set<RequestKind>(["asked", "render", "render.found", "task.read"]);

/** Requests about one index wait behind each other. */
function laneName(kind: RequestKind, header: ReaderRequests[RequestKind]): string {
  if ("indexUid" in header) return header.indexUid;
  return "queries" in header ? (header.queries[0]?.indexUid ?? kind) : kind;
}

/** The bytes where other threads can read them: copied, unless they are there already. */
function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

function answerOf(error: ReturnType<typeof internalError>): ReaderAnswer {
  const body = Buffer.from(JSON.stringify(error));
  return { status: error.status, contentType: "application/json", body, coding: null, marks: null };
}
