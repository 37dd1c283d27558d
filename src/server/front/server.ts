/**
 * How a request becomes an answer on the wire: accept, route, authorize, collect the body, run the route, send. The
 * conventions that hold for every route (CORS, empty 404 and 405, error bodies, limits, compression) live here;
 * what a route means does not.
 */
import { ApiError, internalError, payloadTooLarge } from "../../base/errors/errors.ts";
import { KIB, limits } from "../../base/limits.ts";
import type { Log } from "../../base/log/log.ts";
import { StoreOpening } from "../../storage/store/fault.ts";
import { type Answer, errorAnswer } from "./answer.ts";
import { AnswerRoom } from "./answer-room.ts";
import { BodyCollector, decodeBody, encodingOf } from "./bodies.ts";
import { BodyRoom, type HeldBody } from "./body-room.ts";
import { type Forwarding, PASSED_ON_BY } from "./forwarding.ts";
import type { RequestMetrics } from "./metrics.ts";
import type { Opening } from "./opening.ts";
import { ClientRequest, type RequestHead } from "./request.ts";
import type { Route, Router } from "./router.ts";
import { sendAnswer, sendEmpty, sendPreflight, sendStream } from "./send.ts";
import { mustWait, notReady, onlyReads, type SharedReads, sequenceHeaders, sequenceIn } from "./shared-reads.ts";
import { SlicedQueue } from "./sliced-queue.ts";
import { Pending } from "./transport/pending.ts";
import type { Exchange, HeaderFields, OpenTransport, TlsFiles, Transport } from "./transport/transport.ts";

interface ServerSetup<Grant> {
  transport: OpenTransport;
  router: Router<Grant>;
  /** Throws the refusal; called only for routes that name an action. */
  authorize(request: ClientRequest<Grant>, route: Route<Grant>): Grant;
  /** Until it is over, what is not open to everybody may have to wait. */
  opening: Opening;
  payloadBytesMax: number;
  /** Of answers that their clients have not read yet. */
  unreadBytesMax?: number;
  tls: TlsFiles | null;
  metrics: RequestMetrics;
  /** The others that share their state with this one; null on a server on its own. */
  cluster: SharedReads | null;
  /** Asks others where this server does not hold an index; null where each holds all. */
  forwarding: Pick<Forwarding, "answer"> | null;
  log: Log;
}

/** Bodies that come in one piece of this size, or less, are not worth counting. */
const UNCOUNTED_BYTES = 64 * KIB;
/** Requests under way beyond which new ones take turns. */
const CROWD = 128;
/** How long a stop waits for answers under way. */
const DRAIN_MS_MAX = 10_000;
/** How long reads wait for a store that is being opened anew. */
const OPENING_MS_MAX = 10_000;
/** A refused body larger than this is not read to its end: the connection is closed instead. */
const DISCARD_FACTOR_MAX = 4;
const NO_HEADERS: HeaderFields = [];

export class Server<Grant> {
  readonly #setup: ServerSetup<Grant>;
  readonly #transport: Transport;
  /** Requests under way. */
  readonly #open = new Pending();
  /** How to end the answers that have no end of their own. */
  readonly #streams = new Set<() => void>();
  readonly #bodies: BodyRoom;
  readonly #unread: AnswerRoom;
  readonly #turns = new SlicedQueue();
  /** Of the requests under way, those that nothing is done for: streams, and clients that wait for a task. */
  #resting = 0;
  #stopping = false;

  constructor(setup: ServerSetup<Grant>) {
    this.#setup = setup;
    this.#bodies = new BodyRoom(Math.max(limits.bodiesBytesMin, limits.bodiesAtOnce * setup.payloadBytesMax));
    this.#unread = new AnswerRoom(setup.unreadBytesMax ?? limits.unreadAnswersBytes);
    this.#transport = setup.transport(setup.tls, (exchange) => this.#accept(exchange));
  }

  /** Who speaks HTTP for it. */
  get transport(): string {
    return this.#transport.name;
  }

  /** Resolves with the port in use (of interest when 0 was asked for). */
  async listen(host: string, port: number): Promise<number> {
    // The name stands for both loopback addresses; the resolver would pick one, and half of the clients the other.
    const hosts = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
    let bound = port;
    for (const [i, address] of hosts.entries()) {
      const used = await this.#transport.listen(address, bound);
      if (used === null && i === 0) throw new Error(`cannot listen on ${host}:${port}; the address may be in use`);
      if (used !== null) bound = used;
    }
    return bound;
  }

  /** Stops accepting, lets what is under way finish (for a bounded time), then closes every connection. */
  async stop(drainMs = DRAIN_MS_MAX): Promise<void> {
    const end = performance.now() + drainMs;
    this.#stopping = true;
    this.#transport.stopListening();
    for (const finish of [...this.#streams]) finish();
    await this.#open.none(drainMs);
    await this.#transport.close(Math.max(0, end - performance.now()));
  }

  #accept(exchange: Exchange): void {
    const startedAt = performance.now();
    const { method, path } = exchange;
    if (method === "OPTIONS") {
      sendPreflight(exchange);
      return;
    }
    const match = this.#setup.router.match(method, path);
    if (match === null || match.route === null) {
      sendEmpty(exchange, match === null ? 404 : 405, match === null ? null : match.allowed);
      this.#setup.log.debug("front", "request", { method, path, status: match === null ? 404 : 405 });
      return;
    }
    const request = this.#begin(
      exchange,
      new ClientRequest<Grant>(readHead(exchange, match.route), match.route, match.params, startedAt),
    );
    try {
      if (this.#setup.cluster !== null) request.minSequence = sequenceIn(exchange.header("x-sabre-min-seq"));
      if (this.#setup.forwarding !== null) request.passedOnBy = exchange.header(PASSED_ON_BY);
      if (request.route.action !== null) request.grant = this.#setup.authorize(request, request.route);
      request.route.admit?.(request.head);
      if (request.route.body === "wanted") this.#collect(exchange, request);
      else this.#run(exchange, request);
    } catch (error) {
      this.#refuse(exchange, request, error);
    }
  }

  #begin(exchange: Exchange, request: ClientRequest<Grant>): ClientRequest<Grant> {
    this.#open.add();
    exchange.onAbort(() => {
      request.abort();
      this.#finish(request, 0);
    });
    return request;
  }

  #collect(exchange: Exchange, request: ClientRequest<Grant>): void {
    const { bodyBytesMax = limits.shortBodyBytes, sharesBody = false } = request.route;
    const limit = Math.min(this.#setup.payloadBytesMax, bodyBytesMax);
    const collector = new BodyCollector(request.head.contentLength, limit, sharesBody);
    let refused = false;
    const refuse = (error: unknown): void => {
      refused = true;
      this.#refuse(exchange, request, error);
    };
    const cut = (reason: ApiError): void => {
      refused = true;
      // Not in the middle of what another connection is being told.
      setImmediate(() => this.#refuse(exchange, request, reason));
    };
    let held: HeldBody | null = null;
    exchange.onBody((chunk, isLast) => {
      if (refused || request.aborted) return;
      if (held === null && (!isLast || chunk.length > UNCOUNTED_BYTES)) held = this.#hold(request, cut);
      if (held !== null && !this.#bodies.take(held, chunk.length)) {
        refuse(this.#bodies.refusal());
        return;
      }
      if (!collector.add(chunk)) {
        refuse(payloadTooLarge(limit));
        return;
      }
      if (!isLast) return;
      if (held !== null) held.isComing = false;
      request.body = collector.finish();
      const encoding = encodingOf(request.head.contentEncoding);
      if (encoding === "") this.#run(exchange, request);
      else this.#decode(exchange, request, encoding, limit, held ?? this.#hold(request, cut));
    });
  }

  /** From now on the body counts, until its request is through. */
  #hold(request: ClientRequest<Grant>, cut: HeldBody["cut"]): HeldBody {
    const held: HeldBody = { bytes: 0, isComing: true, cut };
    request.held = held;
    return held;
  }

  #decode(exchange: Exchange, request: ClientRequest<Grant>, encoding: string, limit: number, held: HeldBody): void {
    decodeBody(request.body, encoding, limit, request.route.sharesBody).then(
      (decoded) => {
        if (request.aborted) return;
        request.body = decoded;
        if (this.#bodies.take(held, decoded.length)) this.#run(exchange, request);
        else this.#refuse(exchange, request, this.#bodies.refusal());
      },
      (error) => this.#refuse(exchange, request, error),
    );
  }

  /** At once, unless many are under way: then they take turns, so that what comes in meanwhile is heard, too. */
  #run(exchange: Exchange, request: ClientRequest<Grant>): void {
    if (this.#open.count - this.#resting <= CROWD || request.route.action === null) this.#handle(exchange, request);
    else this.#turns.add(() => this.#handle(exchange, request));
  }

  #handle(exchange: Exchange, request: ClientRequest<Grant>): void {
    if (request.aborted) return;
    if (!this.#mayBegin(exchange, request)) return;
    const { cluster } = this.#setup;
    if (cluster !== null && mustWait(cluster, request)) {
      this.#wait(exchange, request, cluster);
      return;
    }
    let outcome: Answer | Promise<Answer>;
    try {
      const here = (): Answer | Promise<Answer> => request.route.handle(request);
      outcome = this.#setup.forwarding?.answer(request, here) ?? here();
    } catch (error) {
      this.#fail(exchange, request, error);
      return;
    }
    if (outcome instanceof Promise) {
      outcome.then(
        (answer) => this.#send(exchange, request, answer),
        (error) => this.#fail(exchange, request, error),
      );
    } else {
      this.#send(exchange, request, outcome);
    }
  }

  /** Until this server is as far as the request wants it to be, and not cut off from the others; within a bound. */
  #wait(exchange: Exchange, request: ClientRequest<Grant>, cluster: SharedReads): void {
    void cluster.ready(request.minSequence).then((isReady) => {
      if (isReady) this.#handle(exchange, request);
      else this.#refuse(exchange, request, notReady(cluster, request.minSequence));
    });
  }

  /** False while what the request needs is not open yet: then it is handled later. */
  #mayBegin(exchange: Exchange, request: ClientRequest<Grant>): boolean {
    const { action, isOfOneIndex = false } = request.route;
    if (action === null) return true;
    const indexUid = isOfOneIndex ? request.param("index_uid") : null;
    return this.#setup.opening.passes(indexUid, () => this.#handle(exchange, request));
  }

  /** What only reads waits for a store that is being opened anew, within a bound; all else is refused. */
  #fail(exchange: Exchange, request: ClientRequest<Grant>, error: unknown): void {
    const waitedMs = performance.now() - request.startedAt;
    if (!(error instanceof StoreOpening) || !onlyReads(request) || waitedMs > OPENING_MS_MAX) {
      this.#refuse(exchange, request, error);
      return;
    }
    const again = new Promise<void>((resume) => setTimeout(resume, OPENING_MS_MAX - waitedMs).unref());
    void Promise.race([error.opened, again]).then(() => this.#handle(exchange, request));
  }

  #refuse(exchange: Exchange, request: ClientRequest<Grant>, error: unknown): void {
    if (error instanceof ApiError) {
      this.#send(exchange, request, errorAnswer(error));
      return;
    }
    const refusal = internalError(error);
    const place = { method: request.head.method, path: request.route.path };
    if (refusal.code === "internal") {
      const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#setup.log.error("front", "a request failed unexpectedly", { ...place, cause });
    } else {
      this.#setup.log.warn("front", "a request was refused", { ...place, cause: refusal.message });
    }
    this.#send(exchange, request, errorAnswer(refusal));
  }

  #send(exchange: Exchange, request: ClientRequest<Grant>, answer: Answer): void {
    if (request.aborted) return;
    const { cluster } = this.#setup;
    const isComplete = cluster === null || answer.later !== undefined || answer.isForwarded === true;
    const more = isComplete ? NO_HEADERS : sequenceHeaders(answer, cluster);
    const announced = request.head.contentLength ?? 0;
    const abandonBody = answer.status === 413 && announced > this.#setup.payloadBytesMax * DISCARD_FACTOR_MAX;
    const close = this.#stopping || abandonBody;
    if (answer.later !== undefined) {
      this.#rest(request);
      answer.later.then(
        (later) => this.#send(exchange, request, later),
        (error) => this.#refuse(exchange, request, error),
      );
      return;
    }
    if (answer.stream !== undefined) {
      this.#stream(exchange, request, answer, more);
      return;
    }
    sendAnswer(exchange, request, answer, more, close, this.#unread, (error) => {
      if (error !== null) this.#setup.log.error("front", "an answer could not be compressed", { cause: error.message });
      this.#finish(request, answer.status);
    });
  }

  #stream(exchange: Exchange, request: ClientRequest<Grant>, answer: Answer, more: HeaderFields): void {
    const end = sendStream(exchange, request, answer, more, () => {
      this.#streams.delete(end);
      this.#finish(request, answer.status);
    });
    this.#streams.add(end);
    this.#rest(request);
  }

  /** Called once a request, when its answer is handed over or its client is gone (status 0). */
  #finish(request: ClientRequest<Grant>, status: number): void {
    if (request.finished) return;
    request.finished = true;
    this.#open.remove();
    if (request.isResting) this.#resting--;
    this.#letGo(request);
    const ms = Math.round((performance.now() - request.startedAt) * 1000) / 1000;
    if (status !== 0) this.#setup.metrics.record(request.route.id, status, ms / 1000);
    if (this.#setup.log.wants("debug")) {
      const { method, path } = request.head;
      this.#setup.log.debug("front", status === 0 ? "request aborted" : "request", { method, path, status, ms });
    }
  }

  /** It is no longer one of the crowd, and takes no room. */
  #rest(request: ClientRequest<Grant>): void {
    if (request.isResting || request.finished) return;
    request.isResting = true;
    this.#resting++;
    request.forgetBody();
    this.#letGo(request);
  }

  #letGo(request: ClientRequest<Grant>): void {
    if (request.held !== null) this.#bodies.release(request.held);
    request.held = null;
  }
}

function readHead(exchange: Exchange, { action, headers }: Route<unknown>): RequestHead {
  const contentLength = exchange.header("content-length");
  return {
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    authorization: exchange.optionalHeader("authorization"),
    serviceKey: exchange.header("x-service-api-key") || null,
    contentType: exchange.optionalHeader("content-type"),
    contentEncoding: exchange.header("content-encoding"),
    contentLength: contentLength === "" ? null : Number(contentLength),
    acceptEncoding: exchange.header("accept-encoding"),
    includeMetadata: exchange.header("meili-include-metadata"),
    proxySearch: exchange.header("meili-proxy-search"),
    // Searches are the requests that count, and have no use for these.
    lastEventId: action === "search" ? "" : exchange.header("last-event-id"),
    prefer: action === "search" ? "" : exchange.joinedHeader("prefer"),
    others: headers === undefined ? null : new Map(headers.map((name) => [name, exchange.header(name)])),
  };
}
