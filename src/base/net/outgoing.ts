/**
 * Calls to other servers that a user asked for: only to allowed addresses, within a bounded time, reading a bounded
 * answer, and never following a redirect, which could lead a secret to a place nobody named. Through a proxy where the
 * environment names one.
 */
import type { LookupAddress } from "node:dns";
import type http from "node:http";
import type https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, Readable } from "node:stream";
import { within } from "../time/within.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { authorities } from "./authorities.ts";
import { builtIn } from "./built-in.ts";
import { Names } from "./names.ts";
import { Proxies, type ProxyServer } from "./proxies.ts";
import { tunnelAgent } from "./tunnel.ts";

export interface OutgoingRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  /** A stream is sent as it comes, its length unannounced. */
  body?: Uint8Array | string | Readable | null;
  timeoutMs: number;
  /** Ends the call before its time. */
  signal?: AbortSignal;
  /** A longer answer is cut here. */
  answerBytesMax?: number;
}

export interface OutgoingAnswer {
  status: number;
  body: Buffer;
  /** When the server wants to be asked again, as it wrote it; absent when it did not say. */
  retryAfter?: string;
  /** The tag of what was stored, and the length that the server announced. */
  etag?: string;
  size?: number;
}

/** An answer in pieces, as they came. */
export interface OutgoingChunks {
  status: number;
  chunks: Buffer[];
  /** Whether as much came as was to be read at most: there may be more. */
  isCut: boolean;
}

/** The same with what it says of itself. */
export interface PassedAnswer extends OutgoingChunks {
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer whose body is still on its way. */
export interface OpenAnswer {
  status: number;
  body: AsyncIterable<Uint8Array>;
  /** Where a redirect leads, for who means to follow it. */
  location?: string;
}

const ANSWER_BYTES_MAX = 1 << 20;
/** Of an answer that is no success, in the message about it. */
export const SHOWN_ANSWER_CHARS = 300;

/** Machines behind a proxy may know no names at all, and need long to find out. */
const LOOKUP_MS_MAX = 1000;

/** Sends requests one or several at a time, over connections that are kept between them. */
export class Outgoing {
  readonly #policy: AddressPolicy;
  readonly #proxies: Proxies;
  readonly #names = new Names();
  #plain: http.Agent | null = null;
  #secure: https.Agent | null = null;
  /** By address of the proxy. */
  readonly #tunnels = new Map<string, https.Agent>();

  constructor(policy: AddressPolicy, proxies: Proxies = new Proxies(process.env)) {
    this.#policy = policy;
    this.#proxies = proxies;
  }

  /** Rejects when the address is refused (`AddressRefused`), cannot be reached, or is too slow. */
  async send(request: OutgoingRequest): Promise<OutgoingAnswer> {
    return this.#begin(request, (answer) => readAnswer(answer, request.answerBytesMax ?? ANSWER_BYTES_MAX));
  }

  /** For an answer too long to be copied into one piece at once. */
  async collect(request: OutgoingRequest): Promise<OutgoingChunks> {
    return this.#begin(request, (answer) => readChunks(answer, request.answerBytesMax ?? ANSWER_BYTES_MAX));
  }

  /** For an answer that is given to somebody else. */
  async pass(request: OutgoingRequest): Promise<PassedAnswer> {
    return this.#begin(request, async (answer) => ({
      ...(await readChunks(answer, request.answerBytesMax ?? ANSWER_BYTES_MAX)),
      headers: answer.headers,
    }));
  }

  /** For an answer that is read as it comes; the time is that for all of it. */
  async open(request: OutgoingRequest): Promise<OpenAnswer> {
    return this.#begin(request, async (answer) => {
      const { location } = answer.headers;
      return { status: answer.statusCode ?? 0, body: answer, ...(location === undefined ? {} : { location }) };
    });
  }

  async #begin<Result>(
    request: OutgoingRequest,
    take: (answer: http.IncomingMessage) => Promise<Result>,
  ): Promise<Result> {
    const url = new URL(request.url);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error(`\`${url.protocol}\` is not supported`);
    // An address written in the url is never looked up, so it is checked here.
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0) this.#policy.check(host);
    const proxy = this.#proxies.proxyFor(url);
    if (proxy !== null && isIP(host) === 0) await this.#checkKnown(host);
    const body = typeof request.body === "string" ? Buffer.from(request.body) : (request.body ?? null);
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    return new Promise((settle, fail) => {
      const reject = (problem: unknown) => {
        fail(timeout.aborted ? new Error(`no answer within ${request.timeoutMs / 1000} s`) : problem);
      };
      const headers = { ...request.headers, ...(body instanceof Uint8Array ? { "content-length": body.length } : {}) };
      const outgoing = this.#request(url, proxy, { method: request.method, headers, signal });
      outgoing.on("response", (answer) => {
        take(answer).then(settle, reject);
      });
      outgoing.on("error", reject);
      // A request that waits for its tunnel does not notice by itself.
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (body instanceof Readable) pipeline(body, outgoing, (problem) => problem && reject(problem));
      else outgoing.end(body ?? undefined);
    });
  }

  close(): void {
    this.#plain?.destroy();
    this.#secure?.destroy();
    for (const tunnel of this.#tunnels.values()) tunnel.destroy();
  }

  #request(
    url: URL,
    proxy: ProxyServer | null,
    options: { method: string; headers: Record<string, string | number>; signal: AbortSignal },
  ): http.ClientRequest {
    const isSecure = url.protocol === "https:";
    if (proxy === null) {
      const { request } = builtIn(isSecure ? "node:https" : "node:http");
      return request(url, { ...options, agent: this.#agent(isSecure), lookup: this.#lookup });
    }
    if (isSecure) return builtIn("node:https").request(url, { ...options, agent: this.#tunnel(proxy) });
    const { url: through, authorization } = proxy;
    const headers = {
      ...options.headers,
      host: url.host,
      ...(authorization === null ? {} : { "proxy-authorization": authorization }),
    };
    const target = `${url.origin}${url.pathname}${url.search}`;
    const isSecureProxy = through.protocol === "https:";
    const { request } = builtIn(isSecureProxy ? "node:https" : "node:http");
    return request(through, { ...options, headers, path: target, agent: this.#agent(isSecureProxy) });
  }

  #tunnel(proxy: ProxyServer): https.Agent {
    const known = this.#tunnels.get(proxy.url.href);
    if (known !== undefined) return known;
    const tunnel = tunnelAgent(proxy);
    this.#tunnels.set(proxy.url.href, tunnel);
    return tunnel;
  }

  /** A proxy finds out by itself what a name means. As far as this machine knows it too, it must be an allowed address. */
  async #checkKnown(hostname: string): Promise<void> {
    let known: LookupAddress[] = [];
    const lookup = this.#names.addresses(hostname).then(
      (addresses) => {
        known = addresses;
      },
      () => {},
    );
    await within(LOOKUP_MS_MAX, lookup);
    for (const { address } of known) this.#policy.check(address);
  }

  #agent(secure: boolean): http.Agent {
    if (!secure) {
      this.#plain ??= new (builtIn("node:http").Agent)({ keepAlive: true });
      return this.#plain;
    }
    const secureContext = authorities();
    this.#secure ??= new (builtIn("node:https").Agent)({ keepAlive: true, ...(secureContext && { secureContext }) });
    return this.#secure;
  }

  /** What a name means is checked where the connection is made, so that no second answer can differ from the first. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    const checked = this.#names.addresses(hostname, options).then((addresses) => {
      for (const { address } of addresses) this.#policy.check(address);
      return addresses;
    });
    checked.then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else callback(null, first!.address, first!.family);
      },
      (problem: Error) => callback(problem, []),
    );
  };
}

async function readAnswer(answer: http.IncomingMessage, bytesMax: number): Promise<OutgoingAnswer> {
  const { status, chunks } = await readChunks(answer, bytesMax);
  const { etag, "retry-after": retryAfter, "content-length": size } = answer.headers;
  return {
    status,
    body: Buffer.concat(chunks),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(etag === undefined ? {} : { etag }),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
}

async function readChunks(answer: http.IncomingMessage, bytesMax: number): Promise<OutgoingChunks> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    const kept = (chunk as Buffer).subarray(0, bytesMax - bytes);
    chunks.push(kept);
    bytes += kept.length;
    if (bytes >= bytesMax) break;
  }
  return { status: answer.statusCode ?? 0, chunks, isCut: bytes >= bytesMax };
}
