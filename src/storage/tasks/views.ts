/**
 * Tasks and batches as the interface shows them, keys in its order. Pure.
 */

import {
  type BatchRecord,
  type BatchStats,
  type ProgressStep,
  type TaskRecord,
  type TaskStatus,
  taskTypeName,
} from "../../base/contract/task.ts";
import type { ErrorBody } from "../../base/errors/errors.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { formatDuration, formatTime } from "../../base/time/time.ts";
import type { TaskHead } from "../store/task-record.ts";

interface TaskView {
  uid: number;
  batchUid: number | null;
  indexUid: string | null;
  status: TaskStatus;
  type: string;
  canceledBy: number | null;
  details: JsonObject | null;
  error: ErrorBody | null;
  duration: string | null;
  enqueuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  customMetadata?: string;
}

interface SummarizedTask {
  taskUid: number;
  indexUid: string | null;
  status: TaskStatus;
  type: string;
  enqueuedAt: string;
  customMetadata?: string;
}

interface ProgressView {
  steps: ProgressStep[];
  percentage: number;
}

interface BatchView {
  uid: number;
  progress: ProgressView | null;
  details: JsonObject;
  stats: BatchStats;
  duration: string | null;
  startedAt: string;
  finishedAt: string | null;
  batchStrategy: string;
}

export function taskView(task: TaskHead): TaskView {
  const view: TaskView = {
    uid: task.uid,
    batchUid: task.batchUid,
    indexUid: task.indexUid,
    status: task.status,
    type: taskTypeName(task.type),
    canceledBy: task.canceledBy,
    details: task.details,
    error: task.error,
    duration: durationBetween(task.startedAt, task.finishedAt),
    enqueuedAt: formatTime(task.enqueuedAt),
    startedAt: timeOrNull(task.startedAt),
    finishedAt: timeOrNull(task.finishedAt),
  };
  if (task.customMetadata !== null) view.customMetadata = task.customMetadata;
  return view;
}

/** The view as it is sent. */
export function taskText(task: TaskHead): string {
  return withDetails(JSON.stringify(taskView(task)), "null", task.detailsText);
}

/** Long details in the place of those that stand for them; nothing before them can look like these. */
function withDetails(text: string, instead: "null" | "{}", detailsText: string | undefined): string {
  return detailsText === undefined ? text : text.replace(`"details":${instead}`, () => `"details":${detailsText}`);
}

/** The answer to every request that enqueues a task. */
export function summarizedTask(task: TaskRecord): SummarizedTask {
  const view: SummarizedTask = {
    taskUid: task.uid,
    indexUid: task.indexUid,
    status: "enqueued",
    type: taskTypeName(task.content.type),
    enqueuedAt: formatTime(task.enqueuedAt),
  };
  if (task.customMetadata !== null) view.customMetadata = task.customMetadata;
  return view;
}

/** The view as it is sent. */
export function batchText(batch: BatchRecord, progress: readonly ProgressStep[] | null): string {
  return withDetails(JSON.stringify(batchView(batch, progress)), "{}", batch.detailsText);
}

export function batchView(batch: BatchRecord, progress: readonly ProgressStep[] | null): BatchView {
  return {
    uid: batch.uid,
    progress: progress === null ? null : progressView(progress),
    details: batch.details,
    stats: withTypeNames(batch.stats),
    duration: durationBetween(batch.startedAt, batch.finishedAt),
    startedAt: formatTime(batch.startedAt),
    finishedAt: timeOrNull(batch.finishedAt),
    batchStrategy: batch.strategy,
  };
}

function withTypeNames(stats: BatchStats): BatchStats {
  const types = Object.entries(stats.types).map(([type, tasks]) => [taskTypeName(type), tasks] as const);
  return { ...stats, types: Object.fromEntries(types) };
}

/** Steps from the outermost in; each one refines the share of the step around it. */
export function progressView(steps: readonly ProgressStep[]): ProgressView {
  let percentage = 0;
  let share = 100;
  for (const { finished, total } of steps) {
    if (total <= 0) continue;
    share /= total;
    percentage += finished * share;
  }
  return { steps: [...steps], percentage };
}

function durationBetween(start: number | null, end: number | null): string | null {
  return start === null || end === null ? null : formatDuration(end - start);
}

function timeOrNull(micros: number | null): string | null {
  return micros === null ? null : formatTime(micros);
}
