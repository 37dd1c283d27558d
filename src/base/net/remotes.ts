/**
 * Asks other servers of the network, over connections that are kept: each within its time, again where a call fails early, a second
 * time where one takes longer than usual, and never more at once than a server is to bear. Whatever goes wrong becomes the error
 * that is shown for that server; nothing of its address is in it, because whoever searches is not to learn it.
 */
import { ApiError, apiError } from "../errors/errors.ts";
import { MIB } from "../limits.ts";
import { AddressRefused } from "./address-policy.ts";
import { Latencies } from "./latencies.ts";
import type { Outgoing, OutgoingChunks } from "./outgoing.ts";
import { Standing } from "./standing.ts";
import { Crowded, Turnstile } from "./turnstile.ts";

export interface RemoteServer {
  url: string;
  searchApiKey: string | null;
}

export interface RemoteCall {
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Whoever waits for the answer is gone. */
  signal: AbortSignal;
}

export interface RemoteBounds {
  /** For everything: waiting for a turn, all tries, reading the answer. */
  deadlineMs: number;
  /** Calls to one server at once, and how many more may wait for their turn. */
  callsMax: number;
  waitingMax: number;
}

export const REMOTE_BOUNDS: RemoteBounds = { deadlineMs: 25_000, callsMax: 64, waitingMax: 1000 };

/** Of one answer; a longer one is refused. */
const ANSWER_BYTES_MAX = 64 * MIB;
const TRIES = 3;
const RETRY_MS = [10, 100];
/** Of the answer that a server gives with an error, in the message about it. */
const SHOWN_UNITS_MAX = 1000;

/** What is known of one server. */
class Line {
  readonly url: string;
  readonly latencies = new Latencies();
  readonly standing = new Standing();
  readonly turnstile: Turnstile;

  constructor(url: string, { callsMax, waitingMax }: RemoteBounds) {
    this.url = url;
    this.turnstile = new Turnstile(callsMax, waitingMax);
  }
}

export class Remotes {
  readonly #outgoing: Pick<Outgoing, "collect">;
  readonly #bounds: RemoteBounds;
  readonly #lines = new Map<string, Line>();

  constructor(outgoing: Pick<Outgoing, "collect">, bounds: Partial<RemoteBounds> = {}) {
    this.#outgoing = outgoing;
    this.#bounds = { ...REMOTE_BOUNDS, ...bounds };
  }

  /** Whether the server of that name answered when it was asked last, as far as is known. */
  isAvailable(name: string): boolean {
    return !(this.#lines.get(name)?.standing.isAvoided(performance.now()) ?? false);
  }

  /** The answer, in pieces as they came. Rejects with the error to show for that server. */
  async post(name: string, server: RemoteServer, call: RemoteCall): Promise<Uint8Array[]> {
    const line = this.#line(name, server.url);
    const { deadlineMs } = this.#bounds;
    // Not `AbortSignal.timeout`, which nobody can take back: thousands of calls in a second would end in one moment, long after their answers.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), deadlineMs);
    const signal = AbortSignal.any([late.signal, call.signal]);
    try {
      const chunks = await line.turnstile.run(signal, () => this.#tries(line, server, { ...call, signal }));
      line.standing.succeeded();
      return chunks;
    } catch (problem) {
      const error = late.signal.aborted ? tooLate(deadlineMs) : errorOf(problem);
      if (error.code === "remote_remote_error" || error.code === "remote_timeout") {
        line.standing.failed(performance.now());
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #line(name: string, url: string): Line {
    const known = this.#lines.get(name);
    if (known?.url === url) return known;
    const line = new Line(url, this.#bounds);
    this.#lines.set(name, line);
    return line;
  }

  /** A server that failed lately gets one try: there is nobody else to ask, and no point in insisting. */
  async #tries(line: Line, server: RemoteServer, call: RemoteCall): Promise<Uint8Array[]> {
    if (line.standing.isAvoided(performance.now())) return this.#try(line, server, call);
    for (let tried = 1; ; tried++) {
      try {
        return await this.#hedged(line, server, call);
      } catch (problem) {
        if (tried === TRIES || call.signal.aborted || !isPassing(problem)) throw problem;
        await pause(RETRY_MS[tried - 1]!, call.signal);
      }
    }
  }

  /** Where an answer takes longer than usual, the same is asked once more, and the first of the two counts. */
  async #hedged(line: Line, server: RemoteServer, call: RemoteCall): Promise<Uint8Array[]> {
    const lateAfterMs = line.latencies.lateAfterMs();
    if (lateAfterMs === null) return this.#try(line, server, call);
    const done = new AbortController();
    const raced = { ...call, signal: AbortSignal.any([call.signal, done.signal]) };
    try {
      const first = this.#try(line, server, raced);
      const outcome = await Promise.race([first.then(() => "settled"), pause(lateAfterMs, raced.signal)]);
      return await (outcome === "settled" ? first : Promise.any([first, this.#try(line, server, raced)]));
    } catch (problem) {
      throw problem instanceof AggregateError ? problem.errors[0] : problem;
    } finally {
      done.abort();
    }
  }

  async #try(line: Line, { url, searchApiKey }: RemoteServer, call: RemoteCall): Promise<Uint8Array[]> {
    const from = performance.now();
    const answer = await this.#outgoing.collect({
      method: "POST",
      url: `${url.replace(/\/+$/, "")}${call.path}`,
      headers: {
        "content-type": "application/json",
        ...(searchApiKey === null ? {} : { authorization: `Bearer ${searchApiKey}` }),
        ...call.headers,
      },
      body: call.body,
      timeoutMs: this.#bounds.deadlineMs,
      signal: call.signal,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    if (answer.status !== 200) throw refusalOf(answer);
    if (answer.isCut) throw apiError("remote_bad_response", "The remote answered with more bytes than are accepted.");
    line.latencies.add(performance.now() - from);
    return answer.chunks;
  }
}

function refusalOf({ status, chunks }: OutgoingChunks): ApiError {
  if (status === 401 || status === 403) {
    const hint = "check that it is registered with a key that has the action `search` on the index";
    return apiError("remote_invalid_api_key", `The remote refused the key it was asked with: ${hint}.`);
  }
  const text = Buffer.concat(chunks).toString("utf8").slice(0, SHOWN_UNITS_MAX);
  const said = `The remote answered with status ${status}${text === "" ? "." : `: ${text}`}`;
  if (status >= 500) return apiError("remote_remote_error", said);
  return apiError(status >= 400 ? "remote_bad_request" : "remote_bad_response", said);
}

function tooLate(deadlineMs: number): ApiError {
  return apiError("remote_timeout", `The remote did not answer within ${deadlineMs / 1000} s.`);
}

function isPassing(problem: unknown): boolean {
  const code = errorOf(problem).code;
  return code === "remote_remote_error" || (code === "remote_could_not_send_request" && !isRefused(problem));
}

function isRefused(problem: unknown): boolean {
  return problem instanceof AddressRefused || problem instanceof Crowded;
}

function errorOf(problem: unknown): ApiError {
  if (problem instanceof ApiError) return problem;
  const why =
    problem instanceof AddressRefused
      ? "its address is not public; allow it with --experimental-allowed-ip-networks if it is meant"
      : problem instanceof Crowded
        ? problem.message
        : ((problem as NodeJS.ErrnoException).code ?? "the connection failed");
  return apiError("remote_could_not_send_request", `The remote could not be asked: ${why}.`);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
