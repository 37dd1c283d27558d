/**
 * The `details` of tasks and batches: what a success and what a failure leaves, and how the
 * details of many tasks add up to those of their batch. Pure.
 */

import type { TaskRecord } from "../../base/contract/task.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { initialDetails } from "./types.ts";

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

/** As they were before the task ran. */
export function uncounted(details: JsonObject | null): JsonObject | null {
  if (details === null) return null;
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, COUNTERS.has(name) ? null : value]));
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
