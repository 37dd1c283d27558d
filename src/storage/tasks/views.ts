/**
 * Tasks and batches as the interface shows them, keys in its order. Pure.
 */

import {
  type BatchRecord,
  type BatchStats,
  type ProgressStep,
  type TaskRecord,
  type TaskStatus,
  type TextRef,
  taskTypeName,
} from "../../base/contract/task.ts";
import type { ErrorBody } from "../../base/errors/errors.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { formatDuration, formatTime } from "../../base/time/time.ts";
import type { TaskHead } from "../store/task-record.ts";
import { type Texts, textPieces } from "../store/texts.ts";

/** Of what is sent: a text as it is stored, or what is around it. */
export type Piece = string | Uint8Array;

const NULL = "null";
const NO_DETAILS = `"details":${NULL}`;

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

/** The view as it is sent: a list of one string, or pieces that are read as they are taken where texts are a part of it. */
export function taskPieces(task: TaskHead, texts: Texts): Iterable<Piece> {
  return viewPieces(taskView(task), task.texts?.details, texts);
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

/** As `taskPieces`. */
export function batchPieces(
  batch: BatchRecord,
  progress: readonly ProgressStep[] | null,
  texts: Texts,
): Iterable<Piece> {
  return viewPieces(batchView(batch, progress), batch.texts, texts);
}

/** The text of what is not long; null for what is. */
export function shortText(pieces: Iterable<Piece>): string | null {
  return Array.isArray(pieces) ? pieces.join("") : null;
}

function viewPieces(
  view: TaskView | BatchView,
  refs: Record<string, TextRef> | undefined,
  texts: Texts,
): Iterable<Piece> {
  if (refs === undefined || view.details === null) return [JSON.stringify(view)];
  const text = JSON.stringify({ ...view, details: null });
  // Nothing before it can look like it.
  const at = text.indexOf(NO_DETAILS) + NO_DETAILS.length;
  return detailsPieces(text.slice(0, at - NULL.length), view.details, refs, texts, text.slice(at));
}

function* detailsPieces(
  before: string,
  details: JsonObject,
  refs: Record<string, TextRef>,
  texts: Texts,
  after: string,
): Generator<Piece> {
  let text = `${before}{`;
  for (const [i, [name, value]] of Object.entries(details).entries()) {
    text += `${i === 0 ? "" : ","}${JSON.stringify(name)}:`;
    const ref = Object.hasOwn(refs, name) ? refs[name] : undefined;
    if (ref === undefined) {
      text += JSON.stringify(value);
      continue;
    }
    yield text;
    text = "";
    for (const piece of textPieces(ref, texts)) yield piece ?? NULL;
  }
  yield `${text}}${after}`;
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
