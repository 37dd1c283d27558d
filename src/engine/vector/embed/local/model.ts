/**
 * A sentence model from disk: texts in, vectors out. Finds the files, reads what they say, and computes in short runs on
 * the calling thread. Knows nothing of embedders that call a server, nor of documents.
 *
 *   const model = await loadLocalModel({ model: "sentence-transformers/all-MiniLM-L6-v2" }, { modelsDir: "models/" });
 *   const [vector] = await model.embed(["a text"]);
 */

import { closeSync, openSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonObject } from "../../../../base/json/value.ts";

import { EmbedError, type EmbedPurpose } from "../embedder.ts";
import { batchesOf } from "./batches.ts";
import type { ModelDownload } from "./download.ts";
import { DEFAULT_REVISION, findModel, type ModelFiles, missingModel } from "./files.ts";
import { normalize, pool } from "./pooling.ts";
import { type Runtime, type Session, startRuntime } from "./runtime.ts";
import { TextTokens } from "./tokens.ts";
import { type ModelTraits, readTraits } from "./traits.ts";

export interface LocalModel {
  readonly dimensions: number;
  /**
   * One vector for each text, in their order. Searches go before documents between two runs. Rejects with an
   * `EmbedError`, or with the reason of the signal.
   */
  embed(texts: readonly string[], options?: { purpose?: EmbedPurpose; signal?: AbortSignal }): Promise<Float32Array[]>;
  /** Frees the memory once the runs under way are done; later calls fail. */
  close(): void;
}

/** Outputs with a vector a token, then those with one a text, by the names that exports give them. */
const TOKEN_OUTPUTS = ["last_hidden_state", "token_embeddings"];
const TEXT_OUTPUTS = ["sentence_embedding"];

/** Texts that are split into tokens before others get a turn: some 10 ms. */
const TEXTS_SPLIT_AT_ONCE = 32;

/** Where models come from. */
interface ModelSources {
  modelsDir: string | null;
  /** Absent or null where none is to be downloaded. */
  download?: ModelDownload | null;
}

/** From disk, or else from the hub by way of the disk. */
async function obtainModel(
  name: string,
  revision: string | null,
  { modelsDir, download = null }: ModelSources,
): Promise<ModelFiles> {
  const found = findModel(name, revision, modelsDir);
  if (found !== null) return found;
  if (download === null || modelsDir === null) {
    throw missingModel(name, revision, modelsDir, "This server downloads no models.");
  }
  try {
    await download.fetch(name, revision ?? DEFAULT_REVISION, modelsDir);
  } catch (problem) {
    const cause = `It cannot be downloaded from ${download.from}: ${(problem as Error).message}.`;
    throw missingModel(name, revision, modelsDir, cause);
  }
  const downloaded = findModel(name, revision, modelsDir);
  if (downloaded === null) throw missingModel(name, revision, modelsDir, "Its download is gone again.");
  return downloaded;
}

/** `settings` are those of a `huggingFace` embedder: model, revision, pooling, dimensions. */
export async function loadLocalModel(settings: JsonObject, { modelsDir, download }: ModelSources): Promise<LocalModel> {
  const { model: name, revision, dimensions: expected } = settings;
  const files = await obtainModel(String(name), typeof revision === "string" ? revision : null, {
    modelsDir,
    download,
  });
  const traits = readTraits(files, settings["pooling"]);
  const tokens = new TextTokens(files.folder, traits.tokensMax, modelsDir);
  const runtime = await startRuntime(modelsDir);
  const session = await openSession(runtime, files.onnx);
  const model = new OnnxModel(String(name), traits, tokens, runtime, session, isQuantizedPerRun(files.onnx));
  try {
    await model.probe();
    if (typeof expected === "number" && expected !== model.dimensions) {
      throw new EmbedError(
        "user",
        `model \`${name}\` gives vectors of ${model.dimensions} dimensions, but \`dimensions\` is ${expected}`,
      );
    }
  } catch (error) {
    model.close();
    throw error;
  }
  return model;
}

class OnnxModel implements LocalModel {
  dimensions = 0;
  readonly #name: string;
  readonly #traits: ModelTraits;
  readonly #tokens: TextTokens;
  readonly #runtime: Runtime;
  readonly #session: Session;
  readonly #output: string;
  readonly #runTokensMax: number;
  readonly #closed = new AbortController();

  constructor(
    name: string,
    traits: ModelTraits,
    tokens: TextTokens,
    runtime: Runtime,
    session: Session,
    quantizedPerRun: boolean,
  ) {
    this.#name = name;
    this.#traits = traits;
    this.#tokens = tokens;
    this.#runtime = runtime;
    this.#session = session;
    this.#output = [...TOKEN_OUTPUTS, ...TEXT_OUTPUTS].find((output) => session.outputNames.includes(output)) ?? "";
    // A vector must depend on its text alone, not on which texts happened to come with it.
    this.#runTokensMax = quantizedPerRun ? 0 : runtime.runTokensMax;
  }

  /** Finds the length of the vectors, and whether the files fit together. */
  async probe(): Promise<void> {
    if (this.#output === "") {
      throw this.#problem(`its outputs are ${this.#session.outputNames.join(", ")}; none gives the vectors of tokens`);
    }
    const [vector] = await this.embed(["test"]);
    this.dimensions = vector!.length;
  }

  async embed(
    texts: readonly string[],
    { purpose = "documents", signal }: { purpose?: EmbedPurpose; signal?: AbortSignal } = {},
  ): Promise<Float32Array[]> {
    const stop = signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
    const tokens = await this.#split(texts, stop);
    const vectors: Float32Array[] = new Array(texts.length);
    const lengths = tokens.map((ids) => ids.length);
    for (const batch of batchesOf(lengths, this.#runTokensMax)) {
      await this.#runtime.turns.run(purpose, stop, async () => {
        const pooled = await this.#run(batch.map((text) => tokens[text]!)).catch((error: Error) => {
          throw error instanceof EmbedError ? error : this.#problem(`it failed: ${error.message}`);
        });
        for (const [i, text] of batch.entries()) vectors[text] = pooled[i]!;
        // What came in during the run is heard before the next one begins.
        await nextTurn();
      });
    }
    return vectors;
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(this.#problem("it was closed"));
    const release = () => this.#session.release();
    // Whether or not the memory could be freed, nothing uses the session any more.
    this.#runtime.turns.run("documents", new AbortController().signal, release).catch(() => {});
  }

  async #split(texts: readonly string[], stop: AbortSignal): Promise<number[][]> {
    const tokens: number[][] = [];
    for (const text of texts) {
      stop.throwIfAborted();
      tokens.push(this.#tokens.encode(text));
      if (tokens.length % TEXTS_SPLIT_AT_ONCE === 0) await nextTurn();
    }
    return tokens;
  }

  /** One run over texts of like length, padded at the end to the longest. */
  async #run(texts: readonly number[][]): Promise<Float32Array[]> {
    const width = Math.max(...texts.map((ids) => ids.length));
    const dims = [texts.length, width];
    const ids = new BigInt64Array(texts.length * width);
    const mask = new BigInt64Array(texts.length * width);
    for (const [row, text] of texts.entries()) {
      for (const [column, id] of text.entries()) ids[row * width + column] = BigInt(id);
      mask.fill(1n, row * width, row * width + text.length);
    }
    const known: Record<string, BigInt64Array> = {
      input_ids: ids,
      attention_mask: mask,
      token_type_ids: new BigInt64Array(texts.length * width),
    };
    const inputs = this.#session.inputNames.map((name) => {
      const values = known[name];
      if (values === undefined) throw this.#problem(`it wants an input \`${name}\`, which is not supported`);
      return [name, this.#runtime.tensor(values, dims)] as const;
    });
    const outputs = await this.#session.run(Object.fromEntries(inputs), [this.#output]);
    const output = outputs[this.#output]!;
    if (!(output.data instanceof Float32Array)) throw this.#problem("its output is not of 32-bit floats");
    return this.#pool(output.data, output.dims.at(-1)!, texts, width);
  }

  #pool(data: Float32Array, dimensions: number, texts: readonly number[][], width: number): Float32Array[] {
    const perText = TEXT_OUTPUTS.includes(this.#output);
    return texts.map((ids, row) => {
      const vector = perText
        ? data.slice(row * dimensions, (row + 1) * dimensions)
        : pool(this.#traits.pooling, data, row * width * dimensions, ids.length, dimensions);
      if (this.#traits.normalized) normalize(vector);
      return vector;
    });
  }

  #problem(what: string): EmbedError {
    return new EmbedError("user", `model \`${this.#name}\`: ${what}`);
  }
}

function openSession(runtime: Runtime, file: string): Promise<Session> {
  return runtime.turns
    .run("documents", new AbortController().signal, () => runtime.open(file))
    .catch((error: Error) => {
      throw new EmbedError("user", `\`${file}\` cannot be loaded: ${error.message}`);
    });
}

/** Where in a file the operators stand: before the weights. */
const OPERATORS_BYTES = 4 << 20;

/**
 * Whether the model scales activations by the values of each run: what a text becomes then changes, by about one part in
 * a hundred, with the texts that share the run.
 */
function isQuantizedPerRun(file: string): boolean {
  const bytes = Buffer.alloc(OPERATORS_BYTES);
  const descriptor = openSync(file, "r");
  try {
    return bytes.subarray(0, readSync(descriptor, bytes)).includes("DynamicQuantize");
  } finally {
    closeSync(descriptor);
  }
}
