/**
 * The readers as the front sees them: `request` in, answer out. One that sleeps is woken. A reader that dies is replaced (`threads.ts`), and only the
 * requests it held fail. The front never waits here and never looks into a request or an answer.
 */
import { internalError, tooManySearches } from "../../base/errors/errors.ts";
import { KIB, limits } from "../../base/limits.ts";
import { WakeFlag } from "../link/answers.ts";
import { IdleReaders } from "../link/idle-readers.ts";
import {
  type AnswerHead,
  CANCELED,
  decodeAnswer,
  encodeRequest,
  type ReaderRequests,
  type RequestKind,
} from "../link/requests.ts";
import { ByteRing } from "../link/ring.ts";
import { beginTurn, returnRoom, slabCopy, turnRoom } from "../link/slabs.ts";
import { RequestIds, Slots, slotOf } from "../link/slots.ts";
import type { LargeRequest, ReaderMessage } from "./task.ts";
import { type ReaderThreadOptions, ReaderThreads } from "./threads.ts";
import { type Waiter, Waiting } from "./waiting.ts";

export interface ReaderAnswer extends AnswerHead {
  body: Uint8Array;
  /** Whatever other servers have seen for it is not beyond this; absent where none had a part in it. */
  sequence?: number;
  marks?: Buffer | null;
}

/** Whoever asked: a request whose client hung up is not worked on. */
export interface Caller {
  readonly aborted: boolean;
  onAbort(stop: () => void): void;
}

export interface ReaderPoolOptions extends ReaderThreadOptions {
  /** Requests that may wait; one more is answered with 503. */
  queuedRequestsMax?: number;
  requestRingBytes?: number;
  onReaderDeath?: (error: Error) => void;
}

interface Pending extends Waiter {
  id: number;
  /** Null once it is sent. */
  unsent: { head: Uint8Array; payload: Uint8Array | null } | null;
  /** Where in the ring it ends, once it is sent. */
  end: number;
  resolve(answer: ReaderAnswer): void;
  /** Of an answer in several pieces: its marks and body so far. */
  content: Buffer | null;
  received: number;
  /** Whether whoever asked makes do with bytes that are soon overwritten. */
  borrows: boolean;
  large: LargeRequest | null;
}

/** Longer requests travel as a message of their own, so that one of them cannot block the ring for the others. */
const RING_SHARE_PER_REQUEST = 1 / 4;
/**
 * Taken in one turn, whose memory may be touched for the first time: readers that write a long answer fill their rings as fast as they are
 * drained, and call each time, which Node hears a thousand times before it looks at anything else.
 */
const DRAINED_BYTES_MAX = 512 * KIB;
/** A short answer counts as one of this length: whoever waits for it may work, and ask again at once, thousands of times in a row. */
const COUNTED_BYTES_MIN = 16 * KIB;
/** After this many it is noted that a turn ends: not after each of many short answers. */
const UNCOUNTED_BYTES = 64 * KIB;
/** Microseconds after a reader took a request it says so: after this long none is about to. */
const OWNED_MS_MAX = 1000;

export class ReaderPool {
  readonly #options: ReaderPoolOptions;
  readonly #threads: ReaderThreads;
  readonly #requests: ByteRing;
  readonly #idleReaders: IdleReaders;
  readonly #slots = new Slots();
  readonly #wakeFlag = new WakeFlag();
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  readonly #degraded = new Int32Array(new SharedArrayBuffer(4));
  readonly #given = new Int32Array(new SharedArrayBuffer(4));
  readonly #ids = new RequestIds();
  /** By slot. */
  readonly #pending = new Map<number, Pending>();
  readonly #pendingMax: number;
  readonly #waiting: Waiting<Pending>;
  readonly #rings: ByteRing[];
  /** One for all: when there are too many requests, it is thrown for most of them. */
  readonly #refusal: Error;
  #whenIdle: (() => void) | null = null;
  #isAwaited = (): boolean => false;
  #stopping = false;
  /** How much may still be taken in this turn; what is left in the rings is for the next one. */
  #turnBytes = DRAINED_BYTES_MAX;
  #endsTurn = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
    this.#requests = ByteRing.create(options.requestRingBytes ?? limits.requestRingBytes);
    this.#idleReaders = IdleReaders.create(options.readers);
    this.#pendingMax = (options.queuedRequestsMax ?? limits.queuedRequests) + options.readers;
    this.#waiting = new Waiting(options.readers);
    this.#refusal = tooManySearches(options.queuedRequestsMax ?? limits.queuedRequests);
    const shared = {
      requests: this.#requests.buffer,
      idleReaders: this.#idleReaders.buffer,
      slots: this.#slots.buffer,
      wakeFlag: this.#wakeFlag.buffer,
      stop: this.#stop.buffer as SharedArrayBuffer,
      degraded: this.#degraded.buffer as SharedArrayBuffer,
      given: this.#given.buffer as SharedArrayBuffer,
    };
    this.#threads = new ReaderThreads(options, shared, {
      onAnswers: () => this.#drain(),
      untold: () => this.#largeRequests(),
      onDeath: (reader, error) => this.#failHeldBy(reader, error),
      isNeeded: () => !this.#stopping || this.#pending.size > 0,
      isAsked: () => this.#pending.size > 0 || this.#isAwaited(),
    });
    this.#rings = this.#threads.rings;
  }

  /**
   * Starts the threads, one after the other while not all is `open`; what was asked before waits for them. `isAwaited`: whether
   * somebody waits for what is not open yet, and will ask then.
   */
  start(open: Promise<unknown> = Promise.resolve(), isAwaited = (): boolean => false): void {
    this.#isAwaited = isAwaited;
    this.#threads.start(open);
  }

  /** Requests sent and not yet answered. */
  get pending(): number {
    return this.#pending.size;
  }

  /** A question was answered without readers, who may be using idle time that there is none of. */
  noteGiven(): void {
    Atomics.add(this.#given, 0, 1);
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
      if (id < 0) throw this.#refusal;
      const slot = slotOf(id);
      const head = encodeRequest(id, kind, header);
      const bytes = head.length + (payload?.length ?? 0);
      const lane = this.#waiting.laneOf(laneName(kind, header));
      const isLong = LONG_KINDS.has(kind);
      const pending: Pending = {
        id,
        resolve,
        content: null,
        received: 0,
        borrows,
        large: null,
        lane,
        isLong,
        bytes,
        sentAt: 0,
        sentAs: 0,
        unsent: null,
        end: 0,
      };
      this.#slots.clear(slot);
      if (!this.#waiting.mayGo(pending) || !this.#send(pending, head, payload)) {
        if (this.#waiting.bytes + bytes > limits.waitingBytes) {
          this.#ids.giveBack(id);
          throw this.#refusal;
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
    if (this.#stopping || this.#pending.size >= this.#pendingMax) throw this.#refusal;
  }

  /** Hands an arena to every reader, those to come included. What is published after this call may use it. */
  addArena(id: number, memory: WebAssembly.Memory): void {
    this.#threads.addArena(id, memory);
  }

  /** Readers let go of an arena by themselves; this keeps it from those to come. */
  dropArena(id: number): void {
    this.#threads.dropArena(id);
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
    this.#idleReaders.wakeAll();
    await this.#threads.end();
  }

  /** False when the ring has no room, which is there again when requests in it are answered. */
  #send(pending: Pending, head: Uint8Array, payload: Uint8Array | null): boolean {
    if (!this.#push(pending, head, payload)) return false;
    pending.end = this.#requests.written;
    this.#waiting.sent(pending);
    this.#idleReaders.wakeOne();
    return true;
  }

  /** Sends what may go now. */
  #sendWaiting(): void {
    for (let next = this.#waiting.next(); next !== null; next = this.#waiting.next()) {
      const { head, payload } = next.unsent!;
      if (this.#slots.isCanceled(slotOf(next.id))) this.#forget(next, { ...CANCELED, body: NOTHING, marks: null });
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
    this.#threads.tellAll({ kind: "large", requestId: pending.id, request: pending.large });
    if (this.#requests.push(head.subarray(0, 4), null)) return true;
    this.#threads.tellAll({ kind: "forget", requestId: pending.id });
    return false;
  }

  *#largeRequests(): Generator<ReaderMessage> {
    for (const { id, large } of this.#pending.values()) {
      if (large !== null) yield { kind: "large", requestId: id, request: large };
    }
  }

  /** Fails what the dead reader held. */
  #failHeldBy(reader: number, error: Error): boolean {
    // What it was woken for is for the others.
    this.#idleReaders.wakeAll();
    const answer = answerOf(internalError(new Error("the thread that worked on the request died")));
    const unowned: Pending[] = [];
    for (const pending of [...this.#pending.values()]) {
      const owner = this.#slots.owner(slotOf(pending.id));
      if (owner === reader) this.#settle(pending, answer);
      else if (owner < 0 && pending.unsent === null && this.#requests.hasTaken(pending.end)) unowned.push(pending);
    }
    if (unowned.length > 0) setTimeout(() => this.#failUnowned(unowned, answer), OWNED_MS_MAX);
    if (this.#stopping && this.#pending.size === 0) return false;
    this.#options.onReaderDeath?.(error);
    return true;
  }

  /** A reader may die between taking a request and saying so: then nobody works on it. */
  #failUnowned(taken: readonly Pending[], answer: ReaderAnswer): void {
    for (const pending of taken) {
      const slot = slotOf(pending.id);
      if (this.#pending.get(slot) === pending && this.#slots.owner(slot) < 0) this.#settle(pending, answer);
    }
  }

  #drain(): void {
    // The flag stays up, and readers do not call for what is taken in the next turn anyway.
    if (this.#turnBytes <= 0) return;
    this.#wakeFlag.silence();
    for (const ring of this.#rings) {
      let took = false;
      while (this.#turnBytes > 0) {
        const bytes = ring.take(turnRoom);
        if (bytes === null) break;
        took = true;
        this.#turnBytes -= Math.max(bytes.length, COUNTED_BYTES_MIN);
        this.#receive(bytes);
      }
      if (took) ring.signalDrained();
    }
    if (this.#endsTurn || this.#turnBytes > DRAINED_BYTES_MAX - UNCOUNTED_BYTES) return;
    this.#endsTurn = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    const isMoreDue = this.#turnBytes <= 0;
    this.#endsTurn = false;
    this.#turnBytes = DRAINED_BYTES_MAX;
    if (!isMoreDue) return;
    beginTurn();
    this.#drain();
  }

  #receive(bytes: Buffer): void {
    const { id, status, contentType, coding, bodyBytes, marksBytes, more, found, wants, piece } = decodeAnswer(bytes);
    const pending = this.#pending.get(slotOf(id));
    if (pending === undefined || pending.id !== id) return;
    const isPiece = more || pending.content !== null;
    if (isPiece) {
      pending.content ??= Buffer.allocUnsafeSlow(marksBytes + bodyBytes);
      pending.content.set(piece, pending.received);
      pending.received += piece.length;
      returnRoom(bytes);
      if (more) return;
    }
    const content = pending.content ?? piece;
    let body = content.subarray(marksBytes);
    let marks = marksBytes === 0 ? null : content.subarray(0, marksBytes);
    if (!isPiece && (!pending.borrows || marks === null)) body = slabCopy(body);
    if (!isPiece && !pending.borrows && marks !== null) marks = slabCopy(marks);
    this.#settle(pending, { status, contentType, body, coding, marks, found, wants });
  }

  #settle(pending: Pending, answer: ReaderAnswer): void {
    if (pending.unsent === null) this.#waiting.answered(pending);
    this.#forget(pending, answer);
    this.#sendWaiting();
  }

  #forget(pending: Pending, answer: ReaderAnswer): void {
    this.#pending.delete(slotOf(pending.id));
    this.#ids.giveBack(pending.id);
    if (pending.large !== null) this.#threads.tellAll({ kind: "forget", requestId: pending.id });
    pending.resolve(answer);
    if (this.#pending.size === 0) this.#whenIdle?.();
  }
}

const NOTHING = new Uint8Array(0);
/** Bodies that readers read take longer than what has been read already. */
const LONG_KINDS: ReadonlySet<RequestKind> = new Set<RequestKind>([
  "asked",
  "render",
  "render.found",
  "task.read",
  "indexes.named",
]);

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
  return { status: error.status, contentType: "application/json", body };
}
