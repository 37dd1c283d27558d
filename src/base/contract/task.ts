/**
 * What a task is: the record kept in the store, its content by type, and the batch it ran in.
 * Shapes only; nothing here does I/O or decides anything.
 */

import type { ErrorBody } from "../errors/errors.ts";
import type { Json, JsonObject } from "../json/value.ts";
import type { Micros } from "../time/time.ts";

export type TaskStatus = "enqueued" | "processing" | "succeeded" | "failed" | "canceled";

/** Stored by position: only ever append. */
export const TASK_STATUSES: readonly TaskStatus[] = ["enqueued", "processing", "succeeded", "failed", "canceled"];

/** In the order in which the interface lists them in its messages; stored by position, so only ever append. */
export const TASK_TYPES = [
  "documentAdditionOrUpdate",
  "documentEdition",
  "documentDeletion",
  "settingsUpdate",
  "indexCreation",
  "indexDeletion",
  "indexUpdate",
  "indexSwap",
  "taskCancelation",
  "taskDeletion",
  "dumpCreation",
  "snapshotCreation",
  "export",
  "upgradeDatabase",
  "indexCompaction",
  "networkTopologyChange",
  "dsrUpdate",
  "dsrClear",
] as const;

export type TaskType = (typeof TASK_TYPES)[number];

/** As the interface writes it: one type is stored, and read in dumps, under another name. */
export function taskTypeName(type: string): string {
  return type === "upgradeDatabase" ? "databaseUpgrade" : type;
}

/** Where the prepared payload of a document task, or the ids of a deletion, lie: inside the store (small) or in a file of their own. */
export interface PayloadRef {
  kind: "inline" | "file";
  /** Key in the payload table, or file name under `<db>/payloads/`. */
  name: string;
  bytes: number;
}

export type TaskContent =
  | {
      type: "documentAdditionOrUpdate";
      method: "replace" | "update";
      primaryKey: string | null;
      payload: PayloadRef;
      documentsCount: number;
      allowIndexCreation: boolean;
      skipCreation: boolean;
    }
  | { type: "documentDeletion"; by: "ids"; ids: string[] }
  /** The same with so many ids that they are no part of the record (`base/payload/ids.ts`). */
  | { type: "documentDeletion"; by: "listedIds"; payload: PayloadRef; idsCount: number }
  | { type: "documentDeletion"; by: "filter"; filter: Json }
  | { type: "documentDeletion"; by: "all" }
  | { type: "documentEdition"; filter: Json; context: JsonObject | null; function: string }
  | { type: "settingsUpdate"; settings: JsonObject; isDeletion: boolean; allowIndexCreation: boolean }
  | { type: "indexCreation"; primaryKey: string | null }
  | { type: "indexUpdate"; primaryKey: string | null; newIndexUid: string | null }
  | { type: "indexDeletion" }
  | { type: "indexSwap"; swaps: { indexes: [string, string]; rename: boolean }[] }
  | { type: "taskCancelation" | "taskDeletion"; matchedUids: number[]; originalFilter: string }
  | { type: "dumpCreation" }
  | { type: "snapshotCreation" }
  | { type: "indexCompaction" }
  | {
      type: "export";
      url: string;
      apiKey: string | null;
      payloadSize: number | null;
      indexes: { [pattern: string]: { filter: Json; overrideSettings: boolean } };
    }
  | { type: "upgradeDatabase"; from: string; to: string }
  | { type: "networkTopologyChange" }
  | { type: "dsrUpdate"; uid: string; update: JsonObject | null }
  | { type: "dsrClear" };

/** What the content of a task refers to; null where it is all there is. */
export function payloadOf(content: TaskContent): PayloadRef | null {
  return "payload" in content ? content.payload : null;
}

/** The name of its file; null for a task without one. */
export function payloadFileOf(content: TaskContent): string | null {
  const payload = payloadOf(content);
  return payload?.kind === "file" ? payload.name : null;
}

/** A text that is too long for the record it belongs to: it lies beside it, in pieces (`storage/store/texts.ts`). */
export interface TextRef {
  /** Given once: what lies there never changes. */
  name: string;
  bytes: number;
}

/** What of a task lies beside its record, as JSON. */
export interface TaskTexts {
  content: TextRef;
  /** By member; the details themselves have null in its place where they are not whole. */
  details: Record<string, TextRef>;
}

export interface TaskRecord {
  uid: number;
  indexUid: string | null;
  status: TaskStatus;
  content: TaskContent;
  /** Absent where the record is all there is. */
  texts?: TaskTexts;
  /** As the interface shows it; null hides the key's value, absent types have `null`. */
  details: JsonObject | null;
  error: ErrorBody | null;
  batchUid: number | null;
  canceledBy: number | null;
  enqueuedAt: Micros;
  startedAt: Micros | null;
  finishedAt: Micros | null;
  customMetadata: string | null;
}

export interface BatchRecord {
  uid: number;
  taskUids: number[];
  /** Sum or merge of the details of its tasks. */
  details: JsonObject;
  /** Members of the details that are long: these have null in their place. They are those of its tasks. */
  texts?: Record<string, TextRef>;
  stats: BatchStats;
  startedAt: Micros;
  finishedAt: Micros | null;
  /** Why the batch stopped growing. */
  strategy: string;
}

export interface BatchStats {
  totalNbTasks: number;
  status: Partial<Record<TaskStatus, number>>;
  types: Partial<Record<TaskType, number>>;
  indexUids: Record<string, number>;
  progressTrace?: Record<string, string>;
  /** Pieces of work that were handed to the threads that build, and those that had to wait for one. */
  writeChannelCongestion?: { attempts: number; blocking_attempts: number; blocking_ratio: number };
  /** What changed: the size afterwards and the difference, as text. */
  internalDatabaseSizes?: Record<string, string>;
  embedderRequests?: EmbedderRequests;
}

/** Requests to providers; a retry is a request of its own. */
export interface EmbedderRequests {
  total: number;
  failed: number;
  lastError?: string;
}

export interface ProgressStep {
  currentStep: string;
  finished: number;
  total: number;
}
