/**
 * How a request becomes an answer on the wire: accept, route, authorize, collect the body, run the route, send. The
 * conventions that hold for every route (CORS, empty 404 and 405, error bodies, limits, compression) live here;
 * what a route means does not.
 */
import { ApiError, internalError, payloadTooLarge } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { type Answer, errorAnswer } from "./answer.ts";
import { BodyCollector, decodeBody, encodingOf } from "./bodies.ts";
import type { RequestMetrics } from "./metrics.ts";
import { ClientRequest, type RequestHead } from "./request.ts";
import type { Route, Router } from "./router.ts";
import { sendAnswer, sendEmpty, sendPreflight, sendStream } from "./send.ts";
import type {
  AppOptions,
  ExclusiveListener,
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  UwsModule,
  us_listen_socket,
} from "./uws.ts";

export interface ServerSetup<Grant> {
  uws: UwsModule;
  router: Router<Grant>;
  /** Throws the refusal; called only for routes that name an action. */
  authorize(request: ClientRequest<Grant>, route: Route<Grant>): Grant;
  /** Resolves when there is something to answer from; until then only routes open to everybody are answered. */
  ready: Promise<unknown>;
  payloadBytesMax: number;
  tls: AppOptions | null;
  metrics: RequestMetrics;
  log: Log;
}

/** How long a stop waits for answers under way. */
const DRAIN_MS_MAX = 10_000;
/** A refused body larger than this is not read to its end: the connection is closed instead. */
const DISCARD_FACTOR_MAX = 4;

export class Server<Grant> {
  readonly #setup: ServerSetup<Grant>;
  readonly #app: TemplatedApp;
  readonly #sockets: us_listen_socket[] = [];
  /** Requests under way. */
  #open = 0;
  /** How to end the answers that have no end of their own. */
  readonly #streams = new Set<() => void>();
  #stopping = false;
  #isReady = false;
  #drained: (() => void) | null = null;

  constructor(setup: ServerSetup<Grant>) {
    this.#setup = setup;
    setup.ready.then(() => {
      this.#isReady = true;
    });
    this.#app = setup.tls === null ? setup.uws.App() : secureApp(setup.uws, setup.tls);
    this.#app.any("/*", (res, req) => this.#accept(res, req));
  }

  /** Resolves with the port in use (of interest when 0 was asked for). */
  async listen(host: string, port: number): Promise<number> {
    // The name stands for both loopback addresses; the resolver would pick one, and half of the clients the other.
    const hosts = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
    let bound = port;
    for (const [i, address] of hosts.entries()) {
      const socket = await this.#listenOn(address, bound);
      if (socket === null && i === 0) throw new Error(`cannot listen on ${host}:${port}; the address may be in use`);
      if (socket === null) continue;
      this.#sockets.push(socket);
      bound = this.#setup.uws.us_socket_local_port(socket);
    }
    return bound;
  }

  /** Exclusively: by default two servers on one port would each get a part of the requests. */
  #listenOn(host: string, port: number): Promise<us_listen_socket | null> {
    const app = this.#app as unknown as ExclusiveListener;
    return new Promise((resolve) => {
      app.listen(host, port, this.#setup.uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => resolve(socket || null));
    });
  }

  /** Stops accepting, lets what is under way finish (for a bounded time), then closes every connection. */
  async stop(drainMs = DRAIN_MS_MAX): Promise<void> {
    this.#stopping = true;
    for (const socket of this.#sockets.splice(0)) this.#setup.uws.us_listen_socket_close(socket);
    for (const end of [...this.#streams]) end();
    if (this.#open > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainMs);
        this.#drained = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#app.close();
  }

  #accept(res: HttpResponse, req: HttpRequest): void {
    const startedAt = performance.now();
    const method = req.getMethod().toUpperCase();
    if (method === "OPTIONS") {
      sendPreflight(res, req.getHeader("access-control-request-headers"));
      return;
    }
    const path = req.getUrl();
    const match = this.#setup.router.match(method, path);
    if (match === null || match.route === null) {
      sendEmpty(res, match === null ? 404 : 405, match === null ? [] : [["Allow", match.allowed]]);
      this.#setup.log.debug("front", "request", { method, path, status: match === null ? 404 : 405 });
      return;
    }
    const head = readHead(req, method, path);
    const request = this.#begin(res, new ClientRequest<Grant>(head, match.route, match.params, startedAt));
    try {
      if (request.route.action !== null) request.grant = this.#setup.authorize(request, request.route);
      if (request.route.body === "wanted") this.#collect(res, request);
      else this.#run(res, request);
    } catch (error) {
      this.#refuse(res, request, error);
    }
  }

  #begin(res: HttpResponse, request: ClientRequest<Grant>): ClientRequest<Grant> {
    this.#open++;
    res.onAborted(() => {
      request.abort();
      this.#finish(request, 0);
    });
    return request;
  }

  #collect(res: HttpResponse, request: ClientRequest<Grant>): void {
    const limit = this.#setup.payloadBytesMax;
    const collector = new BodyCollector(request.head.contentLength, limit);
    let refused = false;
    res.onData((chunk, isLast) => {
      if (refused || request.aborted) return;
      if (!collector.add(chunk)) {
        refused = true;
        this.#refuse(res, request, payloadTooLarge(limit));
        return;
      }
      if (!isLast) return;
      request.body = collector.finish();
      const encoding = encodingOf(request.head.contentEncoding);
      if (encoding === "") {
        this.#run(res, request);
        return;
      }
      decodeBody(request.body, encoding, limit).then(
        (decoded) => {
          request.body = decoded;
          this.#run(res, request);
        },
        (error) => this.#refuse(res, request, error),
      );
    });
  }

  #run(res: HttpResponse, request: ClientRequest<Grant>): void {
    if (request.aborted) return;
    if (!this.#isReady && request.route.action !== null) {
      this.#setup.ready.then(() => this.#run(res, request));
      return;
    }
    let outcome: Answer | Promise<Answer>;
    try {
      outcome = request.route.handle(request);
    } catch (error) {
      this.#refuse(res, request, error);
      return;
    }
    if (outcome instanceof Promise) {
      outcome.then(
        (answer) => this.#send(res, request, answer),
        (error) => this.#refuse(res, request, error),
      );
    } else {
      this.#send(res, request, outcome);
    }
  }

  #refuse(res: HttpResponse, request: ClientRequest<Grant>, error: unknown): void {
    if (error instanceof ApiError) {
      this.#send(res, request, errorAnswer(error));
      return;
    }
    this.#setup.log.error("front", "a request failed unexpectedly", {
      method: request.head.method,
      path: request.route.path,
      cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    this.#send(res, request, errorAnswer(internalError(error)));
  }

  #send(res: HttpResponse, request: ClientRequest<Grant>, answer: Answer): void {
    if (request.aborted) return;
    const announced = request.head.contentLength ?? 0;
    const abandonBody = answer.status === 413 && announced > this.#setup.payloadBytesMax * DISCARD_FACTOR_MAX;
    const close = this.#stopping || abandonBody;
    if (answer.stream !== undefined) {
      this.#stream(res, request, answer);
      return;
    }
    sendAnswer(res, request, answer, close, (error) => {
      if (error !== null) this.#setup.log.error("front", "an answer could not be compressed", { cause: error.message });
      this.#finish(request, answer.status);
    });
  }

  #stream(res: HttpResponse, request: ClientRequest<Grant>, answer: Answer): void {
    const end = sendStream(res, request, answer, () => {
      this.#streams.delete(end);
      this.#finish(request, answer.status);
    });
    this.#streams.add(end);
  }

  /** Called once a request, when its answer is handed over or its client is gone (status 0). */
  #finish(request: ClientRequest<Grant>, status: number): void {
    if (request.finished) return;
    request.finished = true;
    this.#open--;
    const ms = Math.round((performance.now() - request.startedAt) * 1000) / 1000;
    if (status !== 0) this.#setup.metrics.record(request.route.id, status, ms / 1000);
    if (this.#setup.log.wants("debug")) {
      const { method, path } = request.head;
      this.#setup.log.debug("front", status === 0 ? "request aborted" : "request", { method, path, status, ms });
    }
    if (this.#open === 0) this.#drained?.();
  }
}

function secureApp(uws: UwsModule, tls: AppOptions): TemplatedApp {
  try {
    return uws.SSLApp(tls);
  } catch {
    throw new Error(`TLS cannot start with certificate \`${tls.cert_file_name}\` and key \`${tls.key_file_name}\``);
  }
}

function readHead(req: HttpRequest, method: string, path: string): RequestHead {
  const contentLength = req.getHeader("content-length");
  return {
    method,
    path,
    query: req.getQuery() ?? "",
    authorization: readOptional(req, "authorization"),
    serviceKey: req.getHeader("x-service-api-key") || null,
    contentType: readOptional(req, "content-type"),
    contentEncoding: req.getHeader("content-encoding"),
    contentLength: contentLength === "" ? null : Number(contentLength),
    acceptEncoding: req.getHeader("accept-encoding"),
    includeMetadata: req.getHeader("meili-include-metadata"),
  };
}

/** The library reads an absent header and an empty one alike; some rules tell them apart. */
function readOptional(req: HttpRequest, name: string): string | null {
  const value = req.getHeader(name);
  if (value !== "") return value;
  let found = false;
  req.forEach((key) => {
    if (key === name) found = true;
  });
  return found ? "" : null;
}
