/**
 * The embed thread as the writer and the front see it: vectors for documents, for a query, and the size of a model's
 * vectors. Connects on the first call, and anew after the thread died, which fails only the calls under way.
 *
 *   const client = new EmbedClient((port) => embedThread.take(port));
 *   const vectors = await client.embedDocuments({ name, settings }, inputs, signal);
 */

import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { JsonObject } from "../../../base/json/value.ts";
import { limits } from "../../../base/limits.ts";
import { clockMs } from "../../../base/time/clock.ts";

import { inBatches } from "./batches.ts";
import { EmbedError, type EmbedInput, type EmbedPurpose } from "./embedder.ts";
import { embedderKey } from "./key.ts";
import { addRequests, type FromEmbedThread, type RequestCounts, type ToEmbedThread } from "./messages.ts";
import { PriorityLimiter, together } from "./priority-limiter.ts";

export interface EmbedderRef {
  name: string;
  /** With the defaults of the source written out. */
  settings: JsonObject;
}

/** What of one call for documents is sent at once, and how many such parts of it are under way. */
const PART_INPUTS = 200;
const PART_CHARS = 512 * 1024;
const PARTS_MAX = 4;

/** A search that names no deadline. */
const QUERY_MS_MAX = 10_000;

interface Call {
  port: MessagePort;
  counts: RequestCounts | null;
  resolve(answer: Finished): void;
  reject(error: unknown): void;
}

type Finished = Extract<FromEmbedThread, { kind: "vectors" | "prepared" }>;
type Asked = Exclude<ToEmbedThread, { kind: "cancel" }>;
/** A call without its number, which is given when it is sent. */
type Ask = Asked extends infer A ? (A extends Asked ? Omit<A, "number"> : never) : never;

export class EmbedClient {
  readonly #connect: (port: MessagePort) => void;
  readonly #calls = new Map<number, Call>();
  #port: MessagePort | null = null;
  #queries = 0;
  #next = 0;

  /** `connect` hands one end of a channel to the thread, starting it if need be; closing the end is a refusal. */
  constructor(connect: (port: MessagePort) => void) {
    this.#connect = connect;
  }

  /**
   * One vector for each input; those of one call may share buffers. `counts` grows with the requests made, also while
   * the call is under way and when it fails. Rejects with an `EmbedError`, or with the reason of the signal.
   */
  async embedDocuments(
    embedder: EmbedderRef,
    inputs: readonly EmbedInput[],
    signal: AbortSignal,
    counts: RequestCounts | null = null,
  ): Promise<Float32Array[]> {
    const turns = new PriorityLimiter(PARTS_MAX, PARTS_MAX);
    const parts = await together(inBatches(inputs, charsOf, PART_INPUTS, PART_CHARS), signal, (part, stop) =>
      turns.run("documents", stop, () => this.#embed("documents", embedder, part, null, stop, counts)),
    );
    return parts.flat();
  }

  /** `deadline` by `clockMs()`: an answer or an error comes no later. */
  async embedQuery(
    embedder: EmbedderRef,
    input: EmbedInput,
    deadline: number | null,
    signal: AbortSignal | null = null,
  ): Promise<Float32Array> {
    signal?.throwIfAborted();
    if (this.#queries >= limits.queuedRequests) throw tooManyQueries();
    const end = deadline ?? clockMs() + QUERY_MS_MAX;
    if (end <= clockMs()) throw tooSlow();
    const stop = new AbortController();
    const pass = () => stop.abort(signal?.reason);
    signal?.addEventListener("abort", pass, { once: true });
    const timer = setTimeout(() => stop.abort(tooSlow()), end - clockMs());
    this.#queries++;
    try {
      const [vector] = await this.#embed("search", embedder, [input], end, stop.signal, null);
      return vector!;
    } finally {
      this.#queries--;
      clearTimeout(timer);
      signal?.removeEventListener("abort", pass);
    }
  }

  /** The length of the embedder's vectors, by a trial if its settings do not tell; also finds what only a call can. */
  async dimensions(
    embedder: EmbedderRef,
    signal: AbortSignal = new AbortController().signal,
    counts: RequestCounts | null = null,
  ): Promise<number> {
    const ask: Ask = { kind: "prepare", embedder: embedderKey(embedder.settings) };
    return (await this.#call(embedder.name, ask, signal, counts)).dimensions;
  }

  /** Calls under way fail. */
  close(): void {
    this.#port?.close();
  }

  async #embed(
    purpose: EmbedPurpose,
    embedder: EmbedderRef,
    inputs: readonly EmbedInput[],
    deadline: number | null,
    signal: AbortSignal,
    counts: RequestCounts | null,
  ): Promise<Float32Array[]> {
    const key = embedderKey(embedder.settings);
    const ask: Ask = { kind: "embed", purpose, embedder: key, inputs, deadline };
    const answer = await this.#call(embedder.name, ask, signal, counts);
    if (answer.kind !== "vectors") throw new Error("the embed thread answered another question");
    const { values, dimensions } = answer;
    return inputs.map((_, i) => values.subarray(i * dimensions, (i + 1) * dimensions));
  }

  async #call(name: string, ask: Ask, signal: AbortSignal, counts: RequestCounts | null): Promise<Finished> {
    signal.throwIfAborted();
    const port = this.#open();
    const number = this.#next++;
    const cancel = () => {
      port.postMessage({ kind: "cancel", number } satisfies ToEmbedThread);
      this.#calls.get(number)?.reject(signal.reason);
      this.#calls.delete(number);
    };
    try {
      return await new Promise<Finished>((resolve, reject) => {
        this.#calls.set(number, { port, counts, resolve, reject });
        signal.addEventListener("abort", cancel, { once: true });
        port.postMessage({ ...ask, number } satisfies ToEmbedThread);
      });
    } catch (error) {
      throw error instanceof EmbedError ? named(name, error) : error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #open(): MessagePort {
    if (this.#port !== null) return this.#port;
    const { port1, port2 } = new MessageChannel();
    port1.on("message", (message: FromEmbedThread) => this.#hear(message));
    port1.on("close", () => this.#lose(port1));
    this.#connect(port2);
    this.#port = port1;
    return port1;
  }

  #hear(message: FromEmbedThread): void {
    const call = this.#calls.get(message.number);
    // A call that was canceled while its answer was under way.
    if (call === undefined) return;
    if (call.counts !== null) addRequests(call.counts, message.counts);
    if (message.kind === "counts") return;
    this.#calls.delete(message.number);
    if (message.kind === "failed") {
      const { kind, problem, retryable, code, isOfInput } = message.error;
      call.reject(new EmbedError(kind, problem, retryable, code, isOfInput));
    } else {
      call.resolve(message);
    }
  }

  #lose(port: MessagePort): void {
    if (this.#port === port) this.#port = null;
    for (const [number, call] of this.#calls) {
      if (call.port !== port) continue;
      this.#calls.delete(number);
      call.reject(gone());
    }
  }
}

/** `connect` of a client in another thread than the main one, which passes the ends on: see `EmbedThread.serve`. */
export function connectThrough(mainThread: MessagePort): (port: MessagePort) => void {
  return (port) => mainThread.postMessage(port, [port]);
}

function charsOf({ text, fragment }: EmbedInput): number {
  return (text?.length ?? 0) + (fragment === null ? 0 : JSON.stringify(fragment).length);
}

function named(name: string, { kind, problem, retryable, code, isOfInput }: EmbedError): EmbedError {
  return new EmbedError(kind, `embedder \`${name}\`: ${problem}`, retryable, code, isOfInput);
}

function gone(): EmbedError {
  return new EmbedError("runtime", "the embedding thread ended before it answered", true);
}

function tooSlow(): EmbedError {
  return new EmbedError("runtime", "the query was not embedded in the time that a search has", true);
}

function tooManyQueries(): EmbedError {
  return new EmbedError("runtime", "too many queries wait to be embedded", true, "too_many_search_requests");
}
