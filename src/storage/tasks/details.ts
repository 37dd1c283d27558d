/**
 * The `details` of tasks and batches: what is known when a task is enqueued, what a failure leaves, and how the
 * details of many tasks add up to those of their batch. Pure.
 */

import type { TaskContent, TaskRecord } from "../../base/contract/task.ts";
import { readableSize } from "../../base/errors/errors.ts";
import { redactEmbedder, redactSecret } from "../../base/json/secrets.ts";
import { isObject, type JsonObject } from "../../base/json/value.ts";

/** Counted while the task runs: null before, 0 after a failure or a cancelation. */
const COUNTERS: ReadonlySet<string> = new Set([
  "indexedDocuments",
  "editedDocuments",
  "deletedDocuments",
  "canceledTasks",
  "deletedTasks",
  "updatedRules",
]);

/** Added up over the tasks of a batch. */
const SUMS: ReadonlySet<string> = new Set([
  ...COUNTERS,
  "receivedDocuments",
  "providedIds",
  "matchedTasks",
  "movedDocuments",
]);

/** Details of a task that has not run yet; null for the types that have none. */
export function initialDetails(content: TaskContent, indexUid: string | null): JsonObject | null {
  switch (content.type) {
    case "documentAdditionOrUpdate":
      return { receivedDocuments: content.documentsCount, indexedDocuments: null };
    case "documentDeletion":
      return {
        providedIds: content.by === "ids" ? content.ids.length : 0,
        deletedDocuments: null,
        originalFilter: content.by === "filter" ? JSON.stringify(content.filter) : null,
      };
    case "documentEdition":
      return {
        deletedDocuments: null,
        editedDocuments: null,
        context: content.context,
        function: content.function,
        originalFilter: content.filter === null ? null : JSON.stringify(content.filter),
      };
    case "settingsUpdate":
      return redactSettings(withWildcards(content.settings));
    case "indexCreation":
      return { primaryKey: content.primaryKey };
    case "indexUpdate":
      return content.newIndexUid === null
        ? { primaryKey: content.primaryKey }
        : { primaryKey: content.primaryKey, oldIndexUid: indexUid, newIndexUid: content.newIndexUid };
    case "indexDeletion":
      return { deletedDocuments: null };
    case "indexSwap":
      return { swaps: content.swaps.map(({ indexes, rename }) => ({ indexes: [...indexes], rename })) };
    case "taskCancelation":
      return { matchedTasks: content.matchedUids.length, canceledTasks: null, originalFilter: content.originalFilter };
    case "taskDeletion":
      return { matchedTasks: content.matchedUids.length, deletedTasks: null, originalFilter: content.originalFilter };
    case "dumpCreation":
      return { dumpUid: null };
    case "snapshotCreation":
      return null;
    case "indexCompaction":
      return {};
    case "export":
      return {
        url: content.url,
        ...(content.apiKey === null ? {} : { apiKey: redactSecret(content.apiKey) }),
        ...(content.payloadSize === null ? {} : { payloadSize: readableSize(content.payloadSize) }),
        indexes: content.indexes,
      };
    case "upgradeDatabase":
      return { upgradeFrom: content.from, upgradeTo: content.to };
    case "networkTopologyChange":
      return { movedDocuments: 0, message: "" };
    case "dsrUpdate":
      return { ...(content.update === null ? {} : { rule: content.update }), updatedRules: null };
    case "dsrClear":
      return { deletedDocuments: null };
  }
}

/** Details of a task that failed or was canceled: nothing was done, so every open counter is 0. */
export function unsuccessfulDetails(task: TaskRecord): JsonObject | null {
  const details = initialDetails(task.content, task.indexUid);
  if (details === null) return null;
  for (const name of Object.keys(details)) {
    if (details[name] === null && COUNTERS.has(name)) details[name] = 0;
  }
  return details;
}

/** Details of a task that succeeded: the initial ones, completed by what the work found out. */
export function successfulDetails(task: TaskRecord, found: JsonObject | undefined): JsonObject | null {
  const details = initialDetails(task.content, task.indexUid);
  return details === null ? (found ?? null) : { ...details, ...found };
}

/** Counters are summed, other values of later tasks win, nulls vanish. */
export function mergeDetails(all: Iterable<JsonObject | null>): JsonObject {
  const merged: JsonObject = {};
  for (const details of all) {
    if (details === null) continue;
    for (const [name, value] of Object.entries(details)) {
      if (value === null) continue;
      const before = merged[name];
      if (SUMS.has(name) && typeof value === "number" && typeof before === "number") merged[name] = before + value;
      else if (name === "swaps" && Array.isArray(before) && Array.isArray(value)) merged[name] = [...before, ...value];
      else merged[name] = value;
    }
  }
  return merged;
}

/** Lists that stand for every attribute when they are reset are shown that way. */
function withWildcards(settings: JsonObject): JsonObject {
  const shown = { ...settings };
  for (const name of ["displayedAttributes", "searchableAttributes"]) if (shown[name] === null) shown[name] = ["*"];
  return shown;
}

/** A copy of submitted settings in which the API keys of embedders cannot be read. */
export function redactSettings(settings: JsonObject): JsonObject {
  const { embedders } = settings;
  if (!isObject(embedders)) return { ...settings };
  const shown: JsonObject = {};
  for (const [name, embedder] of Object.entries(embedders)) {
    shown[name] = isObject(embedder) ? redactEmbedder(embedder) : embedder;
  }
  return { ...settings, embedders: shown };
}
