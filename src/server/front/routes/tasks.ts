/** Tasks and batches: what was asked and what became of it; canceling and deleting tasks. */
import type { StarOr } from "../../../base/contract/query.ts";
import type { PayloadRef } from "../../../base/contract/task.ts";
import {
  parseBatchUid,
  parseTaskQuery,
  parseTaskSelection,
  parseTaskStream,
  parseTaskUid,
  type TaskFilters,
} from "../../../base/contract/tasks.ts";
import { type ApiError, apiError, batchNotFound, taskNotFound } from "../../../base/errors/errors.ts";
import { decodePayload, payloadLines } from "../../../base/payload/prepare.ts";
import { humanBytes } from "../../../engine/answer/stats.ts";
import type { Gate } from "../../../engine/auth/authorize.ts";
import type { TaskFilter } from "../../../storage/tasks/filter.ts";
import { batchPieces, taskPieces } from "../../../storage/tasks/views.ts";
import { type Answer, bytesAnswer, jsonAnswer, STREAM_HEADERS } from "../answer.ts";
import { authorizeRoute } from "../authorize.ts";
import type { Followed } from "../live/task-streams.ts";
import { pageAnswer } from "../pages.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { notCaughtUp } from "../shared-reads.ts";
import { piecesAnswer } from "../shown-pieces.ts";
import { demandFeature, enqueue } from "./common.ts";

export function taskRoutes(services: Services): ApiRoute[] {
  const { tasks, store } = services;
  return [
    {
      method: "GET",
      path: "/tasks",
      action: "tasks.get",
      body: "ignored",
      handle: (request) => {
        const { limit, from, reverse, ...filters } = parseTaskQuery(request.query);
        services.usage?.taskFilters(filters);
        const page = tasks.list(asFilter(filters), { limit, from, reverse }, request.grant);
        return pageAnswer(page, (uid) => {
          const task = tasks.get(uid, request.grant);
          return task === null ? null : taskPieces(task, store.texts);
        });
      },
    },
    {
      method: "GET",
      path: "/tasks/{task_id}",
      action: "tasks.get",
      body: "ignored",
      handle: (request) => {
        const uid = parseTaskUid(request.param("task_id"));
        const show = (problem: ApiError): Answer | Promise<Answer> => {
          const task = tasks.get(uid, request.grant);
          if (task === null) throw problem;
          return piecesAnswer(taskPieces(task, store.texts));
        };
        const { cluster } = services;
        if (cluster === null || !tasks.isAhead(uid)) return show(taskNotFound(uid));
        // Another server may have given it a moment ago.
        return cluster.caughtUp().then((isSure) => show(isSure ? taskNotFound(uid) : notCaughtUp(cluster)));
      },
    },
    streamRoute(services, "/tasks/stream", "tasks"),
    {
      method: "DELETE",
      path: "/tasks",
      action: "tasks.delete",
      body: "ignored",
      handle: (request) => selectTasks(services, request, "taskDeletion"),
    },
    {
      method: "POST",
      path: "/tasks/cancel",
      action: "tasks.cancel",
      body: "ignored",
      handle: (request) => selectTasks(services, request, "taskCancelation"),
    },
    {
      method: "POST",
      path: "/tasks/compact",
      action: "tasks.compact",
      body: "ignored",
      handle: () => {
        demandFeature(services, "taskQueueCompactionRoute", "Compacting the task queue");
        // The store reuses the pages of deleted tasks by itself, so there is nothing to win and nothing to restart.
        const size = humanBytes(services.store.sizeBytes());
        return jsonAnswer(200, { preSize: size, postSize: size, status: "succeeded", actionRequired: "none" });
      },
    },
    {
      method: "GET",
      path: "/tasks/{task_id}/documents",
      action: "tasks.get",
      body: "ignored",
      handle: (request) => taskDocuments(services, request),
    },
    {
      method: "GET",
      path: "/batches",
      action: "tasks.get",
      body: "ignored",
      handle: (request) => {
        const { limit, from, reverse, ...filters } = parseTaskQuery(request.query);
        const page = tasks.listBatches(asFilter(filters), { limit, from, reverse }, request.grant);
        return pageAnswer(page, (uid) => {
          const found = tasks.getBatch(uid, request.grant);
          return found === null ? null : batchPieces(found.batch, found.progress, store.texts);
        });
      },
    },
    streamRoute(services, "/batches/stream", "batches"),
    {
      method: "GET",
      path: "/batches/{batch_id}",
      action: "tasks.get",
      body: "ignored",
      handle: (request) => {
        const uid = parseBatchUid(request.param("batch_id"));
        const found = tasks.getBatch(uid, request.grant);
        if (found === null) throw batchNotFound(uid);
        return piecesAnswer(batchPieces(found.batch, found.progress, store.texts));
      },
    },
  ];
}

function streamRoute(services: Services, path: string, what: Followed): ApiRoute {
  const stream = (request: Request): Answer => {
    const filter = asFilter(parseTaskStream(request.query));
    const { streams, gate } = services;
    streams.admit();
    const { lastEventId } = request.head;
    return {
      status: 200,
      contentType: "text/event-stream",
      body: null,
      headers: STREAM_HEADERS,
      stream: (out) =>
        streams.follow(what, filter, request.grant, { out, lastEventId, mayStay: () => isLetIn(gate, request) }),
    };
  };
  return { method: "GET", path, action: "tasks.get", body: "ignored", handle: stream };
}

function isLetIn(gate: Gate, request: Request): boolean {
  try {
    authorizeRoute(gate, request, request.route);
    return true;
  } catch {
    return false;
  }
}

/** The tasks a cancelation or deletion concerns are settled now, not when it runs. */
function selectTasks(services: Services, request: Request, type: "taskDeletion" | "taskCancelation"): Promise<Answer> {
  const { filters, originalFilter } = parseTaskSelection(request.query);
  services.usage?.taskFilters(filters);
  const matchedUids = services.tasks.match(asFilter(filters), request.grant);
  return enqueue(services, request, { type, matchedUids, originalFilter }, null, { status: 200 });
}

async function taskDocuments(services: Services, request: Request): Promise<Answer> {
  const uid = parseTaskUid(request.param("task_id"));
  demandFeature(services, "getTaskDocumentsRoute", "Getting the documents of an enqueued task");
  if (services.tasks.get(uid, request.grant) === null) throw taskNotFound(uid);
  const payload = services.tasks.waitingDocuments(uid, request.grant);
  const lines = payload === null ? null : await linesOf(services, payload);
  if (lines === null) throw apiError("task_file_not_found", `Task \`${uid}\` has no documents waiting to be indexed.`);
  return bytesAnswer(200, "application/x-ndjson", lines);
}

/** Null when the task has run meanwhile and its payload is gone. */
async function linesOf({ store, largePayloads }: Services, { kind, name }: PayloadRef): Promise<Uint8Array | null> {
  if (kind === "file") return largePayloads.lines(name);
  const encoded = store.payloads.get(name);
  return encoded === undefined ? null : payloadLines(decodePayload(encoded));
}

/** Given with a star, a filter restricts nothing. */
function asFilter(filters: TaskFilters): TaskFilter {
  const open = <Item>(value: StarOr<Item> | null): Item[] | null => (value === "*" ? null : value);
  const bound = (value: "*" | number | null): number | null => (value === "*" ? null : value);
  return {
    uids: open(filters.uids),
    batchUids: open(filters.batchUids),
    statuses: open(filters.statuses),
    types: open(filters.types),
    indexUids: open(filters.indexUids),
    canceledBy: open(filters.canceledBy),
    beforeEnqueuedAt: bound(filters.beforeEnqueuedAt),
    afterEnqueuedAt: bound(filters.afterEnqueuedAt),
    beforeStartedAt: bound(filters.beforeStartedAt),
    afterStartedAt: bound(filters.afterStartedAt),
    beforeFinishedAt: bound(filters.beforeFinishedAt),
    afterFinishedAt: bound(filters.afterFinishedAt),
  };
}
