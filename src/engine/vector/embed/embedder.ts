/**
 * What an embedder is: texts or fragments in, vectors out. Shapes and the error only; each source has its own file, and
 * none of them knows of documents, indexes or searches.
 */

import { ApiError, type ErrorCode } from "../../../base/errors/errors.ts";
import type { Json } from "../../../base/json/value.ts";
import type { Outgoing } from "../../../base/net/outgoing.ts";

import type { ModelDownload } from "./local/download.ts";

/** One thing to embed: a rendered text, or a rendered fragment for embedders that are set up with fragments. */
export interface EmbedInput {
  text: string | null;
  fragment: Json | null;
}

/** Searches go before documents, and are not tried as often. */
export type EmbedPurpose = "documents" | "search";

export interface EmbedOptions {
  purpose: EmbedPurpose;
  signal: AbortSignal;
  /** By `clockMs()`; nothing is waited for beyond it. */
  deadline: number | null;
  /** Told after every request to a provider: null, or what went wrong. */
  onRequest?(problem: string | null): void;
}

export interface Embedder {
  /** Null until the settings, a trial or the first answer told. */
  readonly dimensions: number | null;
  /**
   * One vector for each input, in their order, all of the same length. Rejects with an `EmbedError`, or with the reason
   * of the signal.
   */
  embed(inputs: readonly EmbedInput[], options: EmbedOptions): Promise<Float32Array[]>;
  /** The number of dimensions, found by a trial when the settings do not tell; checks what only a call can find. */
  prepare(options: EmbedOptions): Promise<number>;
  /** Gives back what it holds, if it holds anything; it is not used any more. */
  close?(): void;
}

/** What an embedder needs of the server. */
export interface EmbedEnvironment {
  /** Calls to addresses that clients name. */
  outgoing: Outgoing;
  /** Calls to addresses that the operator gave, which may be anywhere. */
  operatorsOutgoing: Outgoing;
  /** Where models on disk lie; null when no folder was named. */
  modelsDir: string | null;
  /** Brings models that are not there; null when none are to be downloaded. */
  download: ModelDownload | null;
  /** Key of the hosted models for embedders that bring none. */
  openAiKey: string | null;
  /** Origins besides the provider's own that this key may be sent to. */
  openAiKeyOrigins: readonly string[];
  /** Address of the local model server for embedders that name none. */
  ollamaUrl: string | null;
  /** How long one request may take. */
  requestTimeoutMs: number;
  /** For how long one request is tried again. */
  retryMsMax: number;
}

/** Whose fault it is: the settings' or the input's, or something that may be well again later. */
type EmbedErrorKind = "user" | "runtime";

export interface EmbedProblem {
  kind: EmbedErrorKind;
  problem: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  code: ErrorCode;
  /** Found with what was to be embedded: other texts may do. */
  isOfInput: boolean;
}

/** Being an `ApiError`, it fails a task or answers a search as it is. */
export class EmbedError extends ApiError implements EmbedProblem {
  readonly kind: EmbedErrorKind;
  readonly problem: string;
  readonly retryable: boolean;
  readonly isOfInput: boolean;

  constructor(
    kind: EmbedErrorKind,
    problem: string,
    retryable = false,
    code: ErrorCode = "vector_embedding_error",
    isOfInput = false,
  ) {
    super(code, `Error while generating embeddings: ${kind} error: ${problem}`);
    this.kind = kind;
    this.problem = problem;
    this.retryable = retryable;
    this.isOfInput = isOfInput;
  }
}
