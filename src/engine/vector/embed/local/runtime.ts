/**
 * What computes a model: the native ONNX runtime where it lies beside the models, else the WebAssembly one that the model package
 * carries. Knows tensors and sessions, nothing of texts.
 *
 * Either computes on the calling thread, which can do nothing else during a run. Runs are therefore short, take turns, and
 * let the thread hear what came in between. A thread must not be terminated during a run of the native runtime: that
 * brings the process down. Ask it to end instead.
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { EmbedError } from "../embedder.ts";
import { PriorityLimiter } from "../priority-limiter.ts";
import { loadNativePackage, MODEL_PACKAGE, NATIVE_PACKAGE, packageFolder } from "./packages.ts";

interface Tensor {
  readonly dims: readonly number[];
  readonly data: unknown;
}

export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Record<string, Tensor>, outputs: string[]): Promise<Record<string, Tensor>>;
  release(): Promise<void>;
}

/** What the two packages have in common. */
interface Onnx {
  Tensor: new (type: "int64", data: BigInt64Array, dims: number[]) => Tensor;
  InferenceSession: { create(model: string | Uint8Array, options: object): Promise<Session> };
  env: { logLevel: string; wasm: { numThreads?: number; wasmPaths?: string } };
}

export interface Runtime {
  /** Of all models: the WebAssembly runtime keeps one stack for them. */
  readonly turns: PriorityLimiter;
  /** Tokens, padding included, that one run should not exceed. */
  readonly runTokensMax: number;
  open(file: string): Promise<Session>;
  tensor(values: BigInt64Array, dims: number[]): Tensor;
}

/** Some 50 ms of a small model in native code; WebAssembly is several times slower. */
const NATIVE_RUN_TOKENS = 512;
const WASM_RUN_TOKENS = 128;

const LOG_ERRORS_ONLY = 3;

let started: Runtime | null = null;

/** One for the thread; tried anew after a failure, since a package may have been installed meanwhile. */
export async function startRuntime(modelsDir: string | null): Promise<Runtime> {
  started ??= startNative(modelsDir) ?? (await startWasm(modelsDir));
  return started;
}

function startNative(modelsDir: string | null): Runtime | null {
  const onnx = loadNativePackage(modelsDir) as Onnx | null;
  if (onnx === null) return null;
  onnx.env.logLevel = "error";
  return {
    turns: new PriorityLimiter(1, 1),
    runTokensMax: NATIVE_RUN_TOKENS,
    open: (file) =>
      onnx.InferenceSession.create(file, {
        // The other half of the cores is for searches and for building segments.
        intraOpNumThreads: Math.max(1, availableParallelism() >> 1),
        interOpNumThreads: 1,
        logSeverityLevel: LOG_ERRORS_ONLY,
        extra: { session: { intra_op: { allow_spinning: "0" } } },
      }),
    tensor: (values, dims) => new onnx.Tensor("int64", values, dims),
  };
}

async function startWasm(modelsDir: string | null): Promise<Runtime> {
  const installed = packageFolder(MODEL_PACKAGE, modelsDir);
  if (installed === null) {
    throw new EmbedError(
      "user",
      `models on disk need a runtime: install the package \`${NATIVE_PACKAGE}\` or \`${MODEL_PACKAGE}\` beside them`,
    );
  }
  const folder = pathToFileURL(`${path.join(installed, "vendor", "onnxruntime-web")}${path.sep}`);
  const onnx = (await import(new URL("ort.wasm.min.mjs", folder).href)) as Onnx;
  onnx.env.logLevel = "error";
  onnx.env.wasm.numThreads = 1;
  onnx.env.wasm.wasmPaths = folder.href;
  return {
    turns: new PriorityLimiter(1, 1),
    runTokensMax: WASM_RUN_TOKENS,
    open: (file) =>
      onnx.InferenceSession.create(readFileSync(file), {
        logSeverityLevel: LOG_ERRORS_ONLY,
        externalData: externalData(file),
      }),
    tensor: (values, dims) => new onnx.Tensor("int64", values, dims),
  };
}

/** Large models keep their weights in a second file, which the native runtime finds by itself. */
function externalData(file: string): { path: string; data: Uint8Array }[] {
  const weights = `${file}_data`;
  return existsSync(weights) ? [{ path: path.basename(weights), data: readFileSync(weights) }] : [];
}
