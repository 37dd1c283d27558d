/**
 * The life of a reader thread: take a request from the ring, pin the catalog, let the handler answer, unpin. It sleeps
 * when there is nothing to do, and never lets a failing handler end it. What a request means is up to its handler.
 */

import { receiveMessageOnPort } from "node:worker_threads";
import { keepCode } from "../../base/bundle/keep.ts";
import { ApiError, internalError } from "../../base/errors/errors.ts";
import { MIB } from "../../base/limits.ts";
import { Catalog } from "../../storage/index/catalog.ts";
import { segmentPathIn } from "../../storage/index/paths.ts";
import { ArenaViews } from "../../storage/memory/arena-views.ts";
import { Control, readerPin } from "../../storage/memory/control.ts";
import { collectGarbage } from "../../storage/memory/garbage.ts";
import { keepLatelyRead } from "../../storage/segment/documents/reader.ts";
import { AnswerCache } from "../cache/answer-cache.ts";
import { AnswerWriter, WakeFlag } from "../link/answers.ts";
import { IdleReaders } from "../link/idle-readers.ts";
import { CANCELED, decodeRequest, type Request, requestId } from "../link/requests.ts";
import { ByteRing } from "../link/ring.ts";
import { Slots, slotOf } from "../link/slots.ts";
import { hasIdleJobs, hasUrgentIdleJobs, runIdleJob } from "../query/idle-work.ts";
import { forgetPastVocabularies } from "../query/vocabulary.ts";
import { Unanswered } from "./asking.ts";
import { Rehearsals } from "./rehearsals.ts";
import { ServedRequest, type Serving } from "./served.ts";
import type { Handler, Handlers, LargeRequest, ReaderMessage, ReaderTask, Reply, RequestContext } from "./task.ts";
import { Warmup } from "./warmup.ts";

/** An idle reader looks this often whether files and memory it holds are still part of any index. */
const IDLE_LOOK_MS = 2000;
/** Without another reader that would take what comes, idle jobs wait until nothing came for this long. */
const IDLE_JOB_PAUSE_MS = 20;
/** A reader that is never idle reads its messages once in this many requests: they hold memory of other threads. */
const SERVED_A_LOOK = 64;
/** The engine does not count shared memory, so it is asked to let go of what large requests came in. */
const LARGE_BYTES_A_COLLECTION = 128 * MIB;
/** A request whose record says only its id: the rest came as a message. */
const LARGE_RECORD_BYTES = 4;
const NOTHING = new Uint8Array(0);

/** Runs until the pool asks it to stop. `prepare` is called once when there is nothing to do. */
export async function readRequests(task: ReaderTask, handlers: Handlers, prepare = (): void => {}): Promise<void> {
  keepLatelyRead(task.latelyReadBytes);
  const reader = new Reader(task, handlers, prepare);
  // The first word to the front means that this reader is up.
  task.port.postMessage(0);
  await reader.run();
  task.port.close();
}

class Reader {
  readonly #number: number;
  readonly #handlers: Handlers;
  readonly #requests: ByteRing;
  readonly #idleReaders: IdleReaders;
  readonly #answers: AnswerWriter;
  readonly #slots: Slots;
  readonly #stop: Int32Array;
  readonly #catalog: Catalog;
  readonly #serving: Serving;
  readonly #receive: () => void;
  /** Another number once somebody asked this server something. */
  readonly #asked: () => number;
  readonly #large = new Map<number, LargeRequest>();
  /** Of those that came since memory was last given back. */
  #largeBytes = 0;
  #served = 0;
  /** Requests that wait for something outside this thread. */
  #underWay = 0;
  #arenaForgotten = false;
  /** Null once it was called. */
  #prepare: (() => void) | null;
  /** Null when it is over. */
  #warmup: Warmup | null;
  /** Null until the warm-up is over, and where there is none. */
  #rehearsals: Rehearsals | null = null;

  constructor(task: ReaderTask, handlers: Handlers, prepare: () => void) {
    this.#number = task.reader;
    this.#handlers = handlers;
    this.#prepare = prepare;
    this.#requests = new ByteRing(task.requests);
    const given = new Int32Array(task.given);
    this.#asked = () => this.#requests.written + Atomics.load(given, 0);
    this.#warmup = task.warmsUp ? new Warmup(handlers, task.reader, this.#asked) : null;
    this.#idleReaders = new IdleReaders(task.idleReaders);
    this.#answers = new AnswerWriter(new ByteRing(task.answers), new WakeFlag(task.wakeFlag), () =>
      task.port.postMessage(0),
    );
    this.#slots = new Slots(task.slots);
    this.#stop = new Int32Array(task.stop);
    const seat = task.workspaceBytes === 0 ? null : { number: task.reader, bytes: task.workspaceBytes };
    const views = new ArenaViews(() => this.#receive(), seat);
    this.#receive = () => {
      for (let got = receiveMessageOnPort(task.port); got !== undefined; got = receiveMessageOnPort(task.port)) {
        const message: ReaderMessage = got.message;
        if (message.kind === "arena") views.add(message.id, message.memory);
        else if (message.kind === "large") {
          this.#large.set(message.requestId, message.request);
          this.#largeBytes += message.request.payload.length;
        } else this.#large.delete(message.requestId);
      }
    };
    this.#catalog = new Catalog(
      new Control(task.control),
      readerPin(task.reader),
      views,
      segmentPathIn(task.databasePath),
      () => {
        this.#arenaForgotten = true;
      },
    );
    this.#serving = {
      catalog: this.#catalog,
      slots: this.#slots,
      kept: new AnswerCache(task.keptBytes),
      degraded: new Int32Array(task.degraded),
    };
  }

  async run(): Promise<void> {
    for (;;) {
      const bytes = this.#requests.take() ?? this.#lastLook();
      if (bytes !== null) {
        this.#serve(bytes);
        if (hasUrgentIdleJobs()) this.#runIdleJob();
        // What waits for the outside gets its turn even when requests keep coming.
        if (this.#underWay > 0) await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      if (this.#underWay > 0) {
        await this.#idleReaders.sleepAsync(this.#number, IDLE_LOOK_MS);
        continue;
      }
      if (Atomics.load(this.#stop, 0) !== 0) return;
      const isFree = this.#prepare !== null || (hasIdleJobs() && this.#idleReaders.othersIdle(this.#number));
      const pauseMs = hasIdleJobs() ? IDLE_JOB_PAUSE_MS : ((this.#warmup ?? this.#rehearsals)?.pauseMs ?? IDLE_LOOK_MS);
      if (!isFree && this.#idleReaders.sleep(this.#number, pauseMs)) continue;
      this.#idleReaders.markBusy(this.#number);
      // A request that came before this reader was marked as busy may have woken no other one.
      const late = this.#requests.take();
      if (late !== null) this.#serve(late);
      else if (this.#prepare !== null) this.#getPrepared(this.#prepare);
      else if (hasIdleJobs()) this.#runIdleJob();
      else {
        // Also while it would like to warm up: that waits for a quiet moment, of which there may be none for minutes.
        this.#lookAround();
        if (this.#warmup === null) await this.#rehearsals?.step();
        else if (!(await this.#warmup.step())) this.#endWarmup();
      }
    }
  }

  #getPrepared(prepare: () => void): void {
    this.#prepare = null;
    prepare();
  }

  /** A request that came just now; null when there is none, and the reader, marked as idle by then, may sleep. */
  #lastLook(): Buffer | null {
    this.#idleReaders.markIdle(this.#number);
    const bytes = this.#requests.take();
    if (bytes !== null) this.#idleReaders.markBusy(this.#number);
    return bytes;
  }

  #serve(bytes: Buffer): void {
    const id = requestId(bytes);
    const slot = slotOf(id);
    this.#slots.own(slot, this.#number);
    if (++this.#served % SERVED_A_LOOK === 0) this.#takeIn();
    if (this.#slots.isCanceled(slot)) {
      this.#answers.write(id, CANCELED, NOTHING);
      return;
    }
    const served = new ServedRequest(this.#serving, slot);
    let reply: Reply | Promise<Reply>;
    try {
      const request = bytes.length === LARGE_RECORD_BYTES ? this.#takeLarge(id) : decodeRequest(bytes);
      reply = this.#handle(request, served);
    } catch (error) {
      reply = errorReply(error);
    }
    if (!(reply instanceof Promise)) {
      this.#finish(id, reply, served);
      return;
    }
    this.#underWay++;
    reply
      .catch(errorReply)
      .then((given) => this.#finish(id, given, served))
      .finally(() => {
        this.#underWay--;
      });
  }

  #finish(id: number, reply: Reply, served: ServedRequest): void {
    try {
      this.#answers.write(id, reply, reply.body);
    } finally {
      served.release();
    }
  }

  #handle(request: Request, context: RequestContext): Reply | Promise<Reply> {
    // The table pairs each kind with a handler of its header; the compiler cannot follow a kind known only at run time.
    const handler = this.#handlers[request.kind] as Handler<typeof request.kind>;
    return handler(request.header, request.payload, context);
  }

  #takeLarge(id: number): Request {
    this.#receive();
    const large = this.#large.get(id);
    if (large === undefined) throw new Error("a large request came without its bytes");
    this.#large.delete(id);
    return { ...decodeRequest(Buffer.from(large.head)), payload: large.payload };
  }

  /** Its memory goes at the next look around. */
  #endWarmup(): void {
    this.#warmup = null;
    this.#arenaForgotten = true;
    this.#rehearsals = new Rehearsals(this.#handlers, this.#catalog, this.#number, this.#asked);
  }

  #runIdleJob(): void {
    const snapshot = this.#catalog.pin();
    try {
      runIdleJob(snapshot.known());
    } finally {
      snapshot.release();
    }
  }

  #takeIn(): void {
    this.#receive();
    if (this.#largeBytes < LARGE_BYTES_A_COLLECTION) return;
    this.#largeBytes = 0;
    this.#collectGarbage();
  }

  #lookAround(): void {
    if (this.#warmup === null) keepCode();
    this.#takeIn();
    this.#catalog.sweep();
    if (!this.#arenaForgotten) return;
    this.#arenaForgotten = false;
    const snapshot = this.#catalog.pin();
    forgetPastVocabularies(snapshot.known());
    snapshot.release();
    this.#collectGarbage();
  }

  /** Between requests: it takes several turns of the event loop. */
  #collectGarbage(): void {
    this.#underWay++;
    void collectGarbage().finally(() => {
      this.#underWay--;
    });
  }
}

function errorReply(error: unknown): Reply {
  if (error instanceof Unanswered) {
    return { status: 200, contentType: "application/octet-stream", body: error.asking.wanted(), wants: "parts" };
  }
  const refusal = error instanceof ApiError ? error : internalError(error);
  return {
    status: refusal.status,
    contentType: "application/json",
    body: Buffer.from(JSON.stringify(refusal)),
  };
}
