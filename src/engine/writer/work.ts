/**
 * What a batch is given to work with, and what it hands back: a change that is committed as a whole or not at all.
 */

import { ApiError, type ErrorBody, internalError, isErrorCode } from "../../base/errors/errors.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { Outgoing } from "../../base/net/outgoing.ts";
import type { S3Options } from "../../storage/s3/options.ts";
import type { Store } from "../../storage/store/store.ts";
import type { TaskOutcome } from "../../storage/tasks/results.ts";
import type { HelperClient } from "../helper/client.ts";

import type { EmbedClient } from "../vector/embed/client.ts";
import type { RequestCounts } from "../vector/embed/messages.ts";
import type { IndexDraft } from "./draft.ts";
import type { IndexState } from "./index-state.ts";
import type { Indexes } from "./indexes.ts";
import type { Progress } from "./progress.ts";

export interface Work {
  store: Store;
  indexes: Indexes;
  helpers: HelperClient;
  /** Threads that build segments at the same time. */
  builders: number;
  databasePath: string;
  dumpDirectory: string;
  snapshotDirectory: string;
  /** Snapshots go there instead. */
  s3: S3Options | null;
  /** Largest request body. */
  payloadBytesMax: number;
  /** Calls to other servers. */
  outgoing: Outgoing;
  embed: Pick<EmbedClient, "embedDocuments" | "dimensions">;
  /** What may go wrong without failing a batch: documents are then indexed without vectors. */
  ignoredFailures: readonly EmbeddingFailure[];
  progress: Progress;
  /** Requests that embedding has made for this batch. */
  requests: RequestCounts;
  /** Segments that building was asked for, and how many of them had to wait until another was done. */
  builds: BuildCounts;
  /** A call to another server, or a program of a client: when it takes long, other batches go ahead meanwhile. */
  patiently<T>(call: Promise<T>): Promise<T>;
  /** For work that goes from index to index: nobody else changes this one until it goes on to the next. */
  moveTo(uid: string): Promise<void>;
  /** Throws `BatchAborted` when a cancelation wants the running batch to stop. */
  checkpoint(): void;
}

export interface BuildCounts {
  total: number;
  waited: number;
}

export type EmbeddingFailure = "documentTemplate" | "embedder";

export interface Change {
  /** Drafts and the uids under which they are shown from now on. */
  put: { uid: string; draft: IndexDraft }[];
  /** Uids that no longer name an index. */
  remove: string[];
  /** Indexes whose data goes. */
  gone: IndexState[];
  /** One per task of the batch, in its order. */
  outcomes: TaskOutcome[];
  /** Further records to store in the same commit. */
  alsoStore?: (store: Store) => void;
}

export class BatchAborted extends Error {
  override readonly name = "BatchAborted";
}

export const unchanged = (outcomes: TaskOutcome[]): Change => ({ put: [], remove: [], gone: [], outcomes });

export const succeeded = (details?: JsonObject): TaskOutcome =>
  details === undefined ? { status: "succeeded" } : { status: "succeeded", details };

export const failed = (error: ErrorBody): TaskOutcome => ({ status: "failed", error });

/** An error that came back from a helper thread, or any other, as the interface shows it. */
export function asApiError(problem: unknown): ApiError {
  if (problem instanceof ApiError) return problem;
  const { message, code } = problem as { message?: string; code?: string };
  if (typeof code === "string" && isErrorCode(code)) return new ApiError(code, message ?? code);
  return internalError(problem);
}
