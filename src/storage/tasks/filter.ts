/**
 * What a request asks of the task list, and whose tasks its key may see. Shapes, and the rule for tasks that concern
 * several indexes or none.
 */

import type { TaskStatus, TaskType } from "../../base/contract/task.ts";
import type { Micros } from "../../base/time/time.ts";
import type { TaskColumns } from "../store/task-record.ts";

/** Filters are ANDed, the values of one are ORed; null means no restriction. Date bounds are exclusive. */
export interface TaskFilter {
  uids: readonly number[] | null;
  batchUids: readonly number[] | null;
  statuses: readonly TaskStatus[] | null;
  types: readonly TaskType[] | null;
  indexUids: readonly string[] | null;
  canceledBy: readonly number[] | null;
  beforeEnqueuedAt: Micros | null;
  afterEnqueuedAt: Micros | null;
  beforeStartedAt: Micros | null;
  afterStartedAt: Micros | null;
  beforeFinishedAt: Micros | null;
  afterFinishedAt: Micros | null;
}

export const NO_FILTER: TaskFilter = {
  uids: null,
  batchUids: null,
  statuses: null,
  types: null,
  indexUids: null,
  canceledBy: null,
  beforeEnqueuedAt: null,
  afterEnqueuedAt: null,
  beforeStartedAt: null,
  afterStartedAt: null,
  beforeFinishedAt: null,
  afterFinishedAt: null,
};

export function isUnrestricted(filter: TaskFilter): boolean {
  return Object.values(filter).every((value) => value === null);
}

type Test = (task: TaskColumns) => boolean;

/** Whether a task is listed by the filter; for one task now and then, where the table would go through all of them. */
export function filterTest(filter: TaskFilter): Test {
  const tests: Test[] = [
    ...oneOf(filter.uids, ({ uid }) => uid),
    ...oneOf(filter.batchUids, ({ batchUid }) => batchUid),
    ...oneOf(filter.statuses, ({ status }) => status),
    ...oneOf(filter.types, ({ type }) => type),
    ...oneOf(filter.indexUids, ({ indexUid }) => indexUid),
    ...oneOf(filter.canceledBy, ({ canceledBy }) => canceledBy),
    ...between(filter.afterEnqueuedAt, filter.beforeEnqueuedAt, ({ enqueuedAt }) => enqueuedAt),
    ...between(filter.afterStartedAt, filter.beforeStartedAt, ({ startedAt }) => startedAt),
    ...between(filter.afterFinishedAt, filter.beforeFinishedAt, ({ finishedAt }) => finishedAt),
  ];
  return (task) => tests.every((test) => test(task));
}

function oneOf<T>(values: readonly T[] | null, read: (task: TaskColumns) => T | null): Test[] {
  if (values === null) return [];
  const wanted = new Set<T | null>(values);
  return [(task) => wanted.has(read(task))];
}

/** What has not happened yet lies within no bounds. */
function between(after: Micros | null, before: Micros | null, read: (task: TaskColumns) => Micros | null): Test[] {
  if (after === null && before === null) return [];
  return [
    (task) => {
      const time = read(task);
      return time !== null && (after === null || time > after) && (before === null || time < before);
    },
  ];
}

export interface TaskPage {
  limit: number;
  /** Uid of the first task (or batch) of the page; null starts at the newest, or the oldest when reversed. */
  from: number | null;
  reverse: boolean;
}

/** The indexes a key may use. A restricted key sees a swap when it may use all its indexes, and no other global task. */
export interface TaskScope {
  all: boolean;
  allowsIndex(indexUid: string): boolean;
}

export const EVERY_TASK: TaskScope = { all: true, allowsIndex: () => true };
