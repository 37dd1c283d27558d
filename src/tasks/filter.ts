/**
 * What a request asks of the task list, and whose tasks its key may see. Shapes, and the rule for tasks that concern
 * several indexes or none.
 */
import type { Micros, TaskStatus, TaskType } from "./task.ts";

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
