/**
 * What the embed thread does: answers calls that come over ports with the embedders they name, which it keeps. Whatever
 * goes wrong with a call fails that call only.
 */
import { createHash } from "node:crypto";
import type { MessagePort } from "node:worker_threads";
import { CACHED_TEXT_BYTES_MAX, QueryCache } from "./cache.ts";
import { createEmbedder, requestTurns } from "./create.ts";
import { type Embedder, type EmbedEnvironment, EmbedError, type EmbedOptions, type EmbedProblem } from "./embedder.ts";
import { settingsOfKey } from "./key.ts";
import { type FromEmbedThread, noRequests, type RequestCounts, type ToEmbedThread } from "./messages.ts";

/** Embedders kept ready. Most are made in no time, but one with a model of its own holds much memory. */
const EMBEDDERS_MAX = 16;

type EmbedCall = Extract<ToEmbedThread, { kind: "embed" }>;
type Call = Exclude<ToEmbedThread, { kind: "cancel" }>;

interface Kept {
  /** Names the embedder in the cache, shorter than its key, and the same when it is made again. */
  id: string;
  embedder: Embedder;
  calls: number;
}

export class EmbedService {
  readonly #environment: EmbedEnvironment;
  readonly #cache: QueryCache;
  /** By key, in the order of their last use. */
  readonly #embedders = new Map<string, Kept>();

  constructor(environment: EmbedEnvironment, cacheEntries: number) {
    this.#environment = environment;
    this.#cache = new QueryCache(cacheEntries);
  }

  /** Answers what comes over the port until it is closed. */
  serve(port: MessagePort): void {
    const running = new Map<number, AbortController>();
    port.on("message", (message: ToEmbedThread) => {
      if (message.kind === "cancel") return running.get(message.number)?.abort();
      const stop = new AbortController();
      running.set(message.number, stop);
      void this.#answer(message, stop.signal, port).finally(() => running.delete(message.number));
    });
    port.on("close", () => {
      for (const stop of running.values()) stop.abort();
    });
  }

  async #answer(call: Call, signal: AbortSignal, port: MessagePort): Promise<void> {
    const { number } = call;
    const tell = (message: FromEmbedThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
    let counts = noRequests();
    const onRequest = (problem: string | null) => {
      count(counts, problem);
      if (problem === null || signal.aborted) return;
      tell({ kind: "counts", number, counts });
      counts = noRequests();
    };
    let kept: Kept | null = null;
    try {
      kept = this.#take(call.embedder);
      if (call.kind === "prepare") {
        // Settings changed, perhaps because another model answers now.
        this.#cache.clear();
        const options: EmbedOptions = { purpose: "documents", signal, deadline: null, onRequest };
        const dimensions = await kept.embedder.prepare(options);
        if (!signal.aborted) tell({ kind: "prepared", number, dimensions, counts });
      } else {
        const options: EmbedOptions = { purpose: call.purpose, signal, deadline: call.deadline, onRequest };
        const values = await this.#embed(kept, call, options);
        const dimensions = values.length / call.inputs.length;
        if (!signal.aborted) tell({ kind: "vectors", number, values, dimensions, counts }, [values.buffer]);
      }
    } catch (error) {
      if (!signal.aborted) tell({ kind: "failed", number, error: problemOf(error), counts });
    } finally {
      if (kept !== null) kept.calls--;
    }
  }

  /** The vectors one after the other. */
  async #embed(kept: Kept, call: EmbedCall, options: EmbedOptions): Promise<Float32Array<ArrayBuffer>> {
    const key = cacheKey(kept.id, call);
    const cached = key === null ? undefined : this.#cache.get(key);
    if (cached !== undefined) return cached.slice();
    const vectors = await kept.embedder.embed(call.inputs, options);
    if (key !== null) this.#cache.set(key, vectors[0]!);
    const dimensions = vectors[0]!.length;
    const values = new Float32Array(vectors.length * dimensions);
    for (const [i, vector] of vectors.entries()) values.set(vector, i * dimensions);
    return values;
  }

  /** The embedder of a key, for one call more. */
  #take(key: string): Kept {
    const kept = this.#embedders.get(key) ?? {
      id: createHash("sha256").update(key).digest("base64"),
      embedder: createEmbedder(settingsOfKey(key), this.#environment, requestTurns()),
      calls: 0,
    };
    kept.calls++;
    this.#embedders.delete(key);
    this.#embedders.set(key, kept);
    for (const [oldKey, old] of this.#embedders) {
      if (this.#embedders.size <= EMBEDDERS_MAX) break;
      if (old.calls > 0) continue;
      this.#embedders.delete(oldKey);
      old.embedder.close?.();
    }
    return kept;
  }
}

/** Null for what is not worth keeping. */
function cacheKey(id: string, { purpose, inputs }: EmbedCall): string | null {
  if (purpose === "documents") return null;
  const [{ text, fragment }] = inputs as [EmbedCall["inputs"][number]];
  const asked = fragment === null ? text : JSON.stringify(fragment);
  if (asked === null || Buffer.byteLength(asked) > CACHED_TEXT_BYTES_MAX) return null;
  return `${id}${fragment === null ? "t" : "f"}${asked}`;
}

function count(counts: RequestCounts, problem: string | null): void {
  counts.total++;
  if (problem === null) return;
  counts.failed++;
  counts.lastError = problem;
}

function problemOf(error: unknown): EmbedProblem {
  if (error instanceof EmbedError) {
    const { kind, problem, retryable, code, isOfInput } = error;
    return { kind, problem, retryable, code, isOfInput };
  }
  const problem = error instanceof Error ? error.message : String(error);
  return { kind: "runtime", problem, retryable: false, code: "vector_embedding_error", isOfInput: false };
}
