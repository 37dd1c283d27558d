/**
 * An embedder behind HTTP: inputs in requests of several, some requests at once, vectors in the order of the inputs and
 * all of one length. What one request goes through is `exchange`'s part.
 */
import type { Json } from "../../../base/json/value.ts";

import { truncateBytes } from "../template/template.ts";
import { inBatches } from "./batches.ts";
import { type Embedder, type EmbedEnvironment, EmbedError, type EmbedInput, type EmbedOptions } from "./embedder.ts";
import { BadInput, exchange } from "./exchange.ts";
import { type PriorityLimiter, together } from "./priority-limiter.ts";
import type { Provider } from "./provider.ts";

/** Where a request takes several. */
const REQUEST_INPUTS_MAX = 10;
const REQUEST_CHARS_MAX = 256 * 1024;

/** What is embedded to learn the length of vectors. */
const TRIAL = "test";

export class RemoteEmbedder implements Embedder {
  readonly #provider: Provider;
  readonly #environment: EmbedEnvironment;
  readonly #turns: PriorityLimiter;
  #dimensions: number | null;

  constructor(provider: Provider, environment: EmbedEnvironment, turns: PriorityLimiter) {
    this.#provider = provider;
    this.#environment = environment;
    this.#turns = turns;
    this.#dimensions = provider.dimensions;
  }

  get dimensions(): number | null {
    return this.#dimensions;
  }

  async embed(inputs: readonly EmbedInput[], options: EmbedOptions): Promise<Float32Array[]> {
    const values = inputs.map((input) => this.#valueOf(input));
    const inputsMax = this.#provider.request.repeats ? REQUEST_INPUTS_MAX : 1;
    const batches = inBatches(values, charsOf, inputsMax, REQUEST_CHARS_MAX);
    const requests = together(batches, options.signal, (batch, signal) =>
      this.#embedBatch(batch, { ...options, signal }),
    );
    return (await requests).flat();
  }

  async prepare(options: EmbedOptions): Promise<number> {
    const { dimensions, takes } = this.#provider;
    if (dimensions !== null) return dimensions;
    if (takes === "fragment") throw new EmbedError("user", "an embedder with fragments must give its `dimensions`");
    // What an earlier trial or answer told may be out of date: the model behind an address can change.
    const [vector] = await this.#ask([TRIAL], options, (vectors) => vectors);
    this.#dimensions = vector!.length;
    return vector!.length;
  }

  #valueOf({ text, fragment }: EmbedInput): Json {
    const value = this.#provider.takes === "fragment" ? fragment : text;
    if (value === null) throw new EmbedError("user", `it embeds a ${this.#provider.takes}, and was given none`);
    return value;
  }

  async #embedBatch(batch: readonly Json[], options: EmbedOptions): Promise<Float32Array[]> {
    try {
      return await this.#ask(batch, options);
    } catch (error) {
      const { cutBytes } = this.#provider;
      const hope = batch.length > 1 || byteLength(batch[0]!) > cutBytes.at(-1)!;
      if (!(error instanceof BadInput) || cutBytes.length === 0 || !hope) throw error;
    }
    // One text may be too long, and it alone is to be cut.
    return together(batch, options.signal, (value, signal) => this.#embedCut(value, { ...options, signal }));
  }

  async #embedCut(value: Json, options: EmbedOptions): Promise<Float32Array> {
    const { cutBytes } = this.#provider;
    for (const [i, bytes] of cutBytes.entries()) {
      const cut = typeof value === "string" ? truncateBytes(value, bytes) : value;
      try {
        const [vector] = await this.#ask([cut], options);
        return vector!;
      } catch (error) {
        const shorter = cutBytes[i + 1];
        if (!(error instanceof BadInput) || shorter === undefined || byteLength(cut) <= shorter) throw error;
      }
    }
    throw new Error("no length to cut to");
  }

  #ask(
    values: readonly Json[],
    options: EmbedOptions,
    check = (vectors: Float32Array[]) => this.#checked(vectors),
  ): Promise<Float32Array[]> {
    const { url, headers, keyAdvice, request, read } = this.#provider;
    return this.#turns.run(options.purpose, options.signal, () =>
      exchange(
        { url, headers, keyAdvice, body: request.fill(values) },
        (answer) => check(read(answer, values.length)),
        options,
        this.#environment,
      ),
    );
  }

  /** The one place where lengths are checked; the first answer tells what is expected when nothing else did. */
  #checked(vectors: Float32Array[]): Float32Array[] {
    for (const vector of vectors) {
      this.#dimensions ??= vector.length;
      if (vector.length !== this.#dimensions) {
        throw new EmbedError(
          "user",
          `expected embeddings with ${this.#dimensions} dimensions, but the model gave ${vector.length}`,
        );
      }
    }
    return vectors;
  }
}

function charsOf(value: Json): number {
  return typeof value === "string" ? value.length : JSON.stringify(value).length;
}

function byteLength(value: Json): number {
  return typeof value === "string" ? Buffer.byteLength(value) : 0;
}
