/** What clients may ask about tasks and batches: lists, one of them, and which to cancel or delete. Parsing only. */

import { apiError, type ErrorCode, missingTaskFilters } from "../errors/errors.ts";
import { limits } from "../limits.ts";
import type { Micros } from "../time/time.ts";
import {
  dateParam,
  flagParam,
  optionalParam,
  readChoiceIn,
  readIndexUid,
  readQuery,
  type StarOr,
  starListParam,
  u32Param,
  uidListParam,
} from "./query.ts";
import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from "./task.ts";

type Bound = "*" | Micros | null;

/** Null for a filter that was not given; `*` for one that was given and restricts nothing. */
export interface TaskFilters {
  uids: StarOr<number> | null;
  batchUids: StarOr<number> | null;
  canceledBy: StarOr<number> | null;
  types: StarOr<TaskType> | null;
  statuses: StarOr<TaskStatus> | null;
  indexUids: StarOr<string> | null;
  afterEnqueuedAt: Bound;
  beforeEnqueuedAt: Bound;
  afterStartedAt: Bound;
  beforeStartedAt: Bound;
  afterFinishedAt: Bound;
  beforeFinishedAt: Bound;
}

interface TaskQuery extends TaskFilters {
  limit: number;
  from: number | null;
  reverse: boolean;
}

/** One task type has two names, and filters know both. */
const TYPE_NAMES = [...TASK_TYPES, "databaseUpgrade"] as const;
const readTypeName = readChoiceIn(TYPE_NAMES);

function readType(raw: string, name: string, code: ErrorCode): TaskType {
  const type = readTypeName(raw, name, code);
  return type === "databaseUpgrade" ? "upgradeDatabase" : type;
}

export const taskFilterParams = {
  uids: optionalParam(uidListParam("invalid_task_uids")),
  batchUids: optionalParam(uidListParam("invalid_batch_uids")),
  canceledBy: optionalParam(uidListParam("invalid_task_canceled_by")),
  types: optionalParam(starListParam("invalid_task_types", readType)),
  statuses: optionalParam(starListParam("invalid_task_statuses", readChoiceIn(TASK_STATUSES))),
  indexUids: optionalParam(starListParam("invalid_index_uid", readIndexUid)),
  afterEnqueuedAt: optionalParam(dateParam("invalid_task_after_enqueued_at", "after")),
  beforeEnqueuedAt: optionalParam(dateParam("invalid_task_before_enqueued_at", "before")),
  afterStartedAt: optionalParam(dateParam("invalid_task_after_started_at", "after")),
  beforeStartedAt: optionalParam(dateParam("invalid_task_before_started_at", "before")),
  afterFinishedAt: optionalParam(dateParam("invalid_task_after_finished_at", "after")),
  beforeFinishedAt: optionalParam(dateParam("invalid_task_before_finished_at", "before")),
};

export const taskListParams = {
  limit: u32Param("invalid_task_limit", limits.pageItems),
  from: optionalParam(u32Param("invalid_task_from")),
  reverse: flagParam("invalid_task_reverse"),
  ...taskFilterParams,
};

/** For tasks and batches alike. */
export function parseTaskQuery(query: string): TaskQuery {
  return readQuery(query, taskListParams);
}

/** Which tasks, or batches, to follow. */
export function parseTaskStream(query: string): TaskFilters {
  return readQuery(query, taskFilterParams);
}

/** The tasks to cancel or delete. `originalFilter` repeats the query as it came, percent signs and all. */
export function parseTaskSelection(query: string): { filters: TaskFilters; originalFilter: string } {
  const filters = readQuery(query, taskFilterParams);
  if (Object.values(filters).every((value) => value === null)) throw missingTaskFilters();
  return { filters, originalFilter: `?${query}` };
}

export function parseTaskUid(path: string): number {
  return readPathUid(path, "invalid_task_uids", "task");
}

export function parseBatchUid(path: string): number {
  return readPathUid(path, "invalid_batch_uids", "batch");
}

function readPathUid(path: string, code: ErrorCode, what: string): number {
  if (/^\d+$/.test(path) && Number(path) <= 4_294_967_295) return Number(path);
  throw apiError(code, `Invalid ${what} uid: could not parse \`${path}\` as a positive integer`);
}
