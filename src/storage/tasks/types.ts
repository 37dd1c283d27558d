/**
 * The types of tasks, an entry for each: where a task waits and with which others it runs, and what its details are before
 * it has run. What an entry lacks, the compiler finds. Who does the work is `engine/writer/batches.ts`; how it stands in a
 * dump, `storage/dump`.
 */
import type { TaskContent, TaskType } from "../../base/contract/task.ts";
import { readableSize } from "../../base/errors/errors.ts";
import { redactSecret, redactSettings } from "../../base/json/secrets.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { BatchStep } from "./autobatch.ts";
import type { AloneKind, Batch } from "./batch.ts";

type Content<T extends TaskType> = Extract<TaskContent, { type: T }>;

/** Where a task waits for its turn. */
type Waiting<T extends TaskType> =
  /** Before all indexes, by precedence; `take`: which of those that wait run together. */
  | { line: "first"; precedence: number; take: "newest" | "oldest" | "all"; kind: Batch["kind"] }
  /** With those of its index; `operation`: what it means to the batch it might join. */
  | { line: "index"; operation: (content: Content<T>) => Exclude<BatchStep["operation"], "alone"> }
  /** With those of its index, in a batch of its own. */
  | { line: "index"; alone: AloneKind & T }
  /** With those of all indexes that it touches. */
  | { line: "swaps" }
  /** With the other changes of search rules. */
  | { line: "searchRules" };

interface TypeEntry<T extends TaskType> {
  waits: Waiting<T>;
  /** Of a task that has not run yet; null for the types that have none. */
  details(content: Content<T>, indexUid: string | null): JsonObject | null;
}

export const TYPES: { readonly [T in TaskType]: TypeEntry<T> } = {
  documentAdditionOrUpdate: {
    waits: { line: "index", operation: () => "import" },
    details: ({ documentsCount }) => ({ receivedDocuments: documentsCount, indexedDocuments: null }),
  },
  documentEdition: {
    waits: { line: "index", alone: "documentEdition" },
    details: (content) => ({
      deletedDocuments: null,
      editedDocuments: null,
      context: content.context,
      function: content.function,
      originalFilter: content.filter === null ? null : JSON.stringify(content.filter),
    }),
  },
  documentDeletion: {
    waits: {
      line: "index",
      operation: ({ by }) =>
        by === "ids" || by === "listedIds" ? "deleteByIds" : by === "filter" ? "deleteByFilter" : "clear",
    },
    details: (content) => ({
      providedIds: content.by === "ids" ? content.ids.length : content.by === "listedIds" ? content.idsCount : 0,
      deletedDocuments: null,
      originalFilter: content.by === "filter" ? JSON.stringify(content.filter) : null,
    }),
  },
  settingsUpdate: {
    waits: { line: "index", operation: () => "settings" },
    details: ({ settings }) => redactSettings(withWildcards(settings)),
  },
  indexCreation: {
    waits: { line: "index", alone: "indexCreation" },
    details: ({ primaryKey }) => ({ primaryKey }),
  },
  indexDeletion: {
    waits: { line: "index", operation: () => "deleteIndex" },
    details: () => ({ deletedDocuments: null }),
  },
  indexUpdate: {
    waits: { line: "index", alone: "indexUpdate" },
    details: ({ primaryKey, newIndexUid }, indexUid) => ({
      primaryKey,
      ...(newIndexUid === null ? {} : { oldIndexUid: indexUid, newIndexUid }),
    }),
  },
  indexSwap: {
    waits: { line: "swaps" },
    details: ({ swaps }) => ({ swaps: swaps.map(({ indexes, rename }) => ({ indexes: [...indexes], rename })) }),
  },
  taskCancelation: {
    waits: { line: "first", precedence: 0, take: "newest", kind: "taskCancelation" },
    details: (content) => matched(content, "canceledTasks"),
  },
  taskDeletion: {
    waits: { line: "first", precedence: 3, take: "all", kind: "taskDeletions" },
    details: (content) => matched(content, "deletedTasks"),
  },
  dumpCreation: {
    waits: { line: "first", precedence: 7, take: "oldest", kind: "dump" },
    details: () => ({ dumpUid: null }),
  },
  snapshotCreation: {
    waits: { line: "first", precedence: 6, take: "all", kind: "snapshots" },
    details: () => null,
  },
  export: {
    waits: { line: "first", precedence: 5, take: "oldest", kind: "export" },
    details: ({ url, apiKey, payloadSize, indexes }) => ({
      url,
      ...(apiKey === null ? {} : { apiKey: redactSecret(apiKey) }),
      ...(payloadSize === null ? {} : { payloadSize: readableSize(payloadSize) }),
      indexes,
    }),
  },
  upgradeDatabase: {
    waits: { line: "first", precedence: 1, take: "all", kind: "upgradeDatabase" },
    details: ({ from, to }) => ({ upgradeFrom: from, upgradeTo: to }),
  },
  indexCompaction: {
    waits: { line: "first", precedence: 4, take: "oldest", kind: "indexCompaction" },
    details: () => ({}),
  },
  networkTopologyChange: {
    waits: { line: "first", precedence: 2, take: "oldest", kind: "networkTopologyChange" },
    details: () => ({ movedDocuments: 0, message: "" }),
  },
  dsrUpdate: {
    waits: { line: "searchRules" },
    details: ({ update }) => ({ ...(update === null ? {} : { rule: update }), updatedRules: null }),
  },
  dsrClear: {
    waits: { line: "searchRules" },
    details: () => ({ deletedDocuments: null }),
  },
};

/** Details of a task that has not run yet; null for the types that have none. */
export function initialDetails<T extends TaskType>(content: Content<T>, indexUid: string | null): JsonObject | null {
  return (TYPES[content.type] as TypeEntry<T>).details(content, indexUid);
}

/** What a task means to the batch of its index that it might join. */
export function operationOf<T extends TaskType>(content: Content<T>): BatchStep["operation"] {
  const { waits } = TYPES[content.type] as TypeEntry<T>;
  return "operation" in waits ? waits.operation(content) : "alone";
}

function matched(content: Content<"taskCancelation" | "taskDeletion">, counter: string): JsonObject {
  return { matchedTasks: content.matchedUids.length, [counter]: null, originalFilter: content.originalFilter };
}

/** Lists that stand for every attribute when they are reset are shown that way. */
function withWildcards(settings: JsonObject): JsonObject {
  const shown = { ...settings };
  for (const name of ["displayedAttributes", "searchableAttributes"]) if (shown[name] === null) shown[name] = ["*"];
  return shown;
}
