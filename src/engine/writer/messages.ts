/** What the main thread and the writer thread say to each other. Shapes only. */

import type { MessagePort } from "node:worker_threads";
import type { BatchRecord, EmbedderRequests, ProgressStep } from "../../base/contract/task.ts";
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import type { Traffic } from "../../storage/blobs/measured.ts";
import type { S3Options } from "../../storage/s3/options.ts";
import type { Change } from "../../storage/store/environment.ts";
import type { FinishedEvent } from "../../storage/tasks/results.ts";
import type { GraphBuilder } from "./vector-parts.ts";
import type { EmbeddingFailure } from "./work.ts";

/** What the writer thread is started with. */
export interface WriterStart {
  databasePath: string;
  control: SharedArrayBuffer;
  /** Arenas that a writer before this one has left; empty at the first start. */
  memories: Map<number, WebAssembly.Memory>;
  /** To the thread that writes to the store. */
  storePort: MessagePort;
  /** To the pool of helper threads. */
  helperPort: MessagePort;
  /** Segments built at the same time. */
  builders: number;
  /** What the indexes may take of memory. */
  memoryBytesMax: number;
  /** Set aside in every arena for the threads that search. */
  workspacesBytes: number;
  batchLimits: { tasks: number; payloadBytes: number };
  /** Where dumps and snapshots go. */
  dumpDirectory: string;
  snapshotDirectory: string;
  /** Where snapshots go instead. */
  s3: S3Options | null;
  /** Largest request body; exports assume that other servers take as much. */
  payloadBytesMax: number;
  /** Private networks that exports may reach, or `any`. */
  allowedIpNetworks: readonly string[];
  /** To the main thread, which has the embed thread. */
  embedPort: MessagePort;
  ignoredFailures: readonly EmbeddingFailure[];
  /** Vectors in a segment from which on they are put into cells; null where searches gain by it. */
  cellsFrom: number | null;
  /** The same for graphs of them. */
  graphsFrom: number | null;
  graphBuilder: GraphBuilder;
  /**
   * Of a server among several: whether it leads them, where their files are, which indexes or shards it does not hold, as pieces,
   * and into how many shards new indexes are divided.
   */
  shared: { leads: boolean; blobs: BlobsPlace; elsewhere: number[]; shards: number } | null;
}

export type ToWriter =
  /** Tasks that are durable and wait to be run. */
  | { kind: "tasks"; uids: number[] }
  /** At the start: somebody waits for this index to be opened. */
  | { kind: "wanted"; uid: string }
  /** To a follower: what a record of the journal has changed that readers are to see, and which of that is not held here. */
  | { kind: "follow"; number: number; changes: readonly Change[]; elsewhere: readonly number[] }
  /** To a follower: these pieces of indexes, and no others, are not held here from now on. */
  | { kind: "place"; elsewhere: readonly number[] }
  /** Every thread can find this arena now. */
  | { kind: "arenaReady"; arena: number }
  /** Finish or give up the running batches, then say `stopped`. */
  | { kind: "stop" };

export type FromWriter =
  /** At the start: some more indexes are published. */
  | { kind: "shown" }
  /** The state of the disk is published, as of this record of the journal, if there is one; batches are about to run. */
  | { kind: "ready"; number: number }
  | { kind: "started"; batch: BatchRecord }
  | { kind: "progress"; batchUid: number; steps: ProgressStep[] }
  /** Requests of a running batch to providers, so far. */
  | { kind: "requests"; batchUid: number; requests: EmbedderRequests }
  /** A running batch was given up; its tasks are enqueued again. */
  | { kind: "aborted"; batchUid: number }
  | { kind: "finished"; event: FinishedEvent }
  /** Of a follower: the changes of this record are shown. */
  | { kind: "followed"; number: number }
  | { kind: "arena"; arena: number; memory: WebAssembly.Memory }
  | { kind: "arenaGone"; arena: number }
  | { kind: "shared"; traffic: Traffic }
  | { kind: "log"; level: "warn" | "error"; message: string }
  | { kind: "stopped" };
