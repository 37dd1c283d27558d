/** What several families of routes share: the index of a path, a task as an answer, an answer from a reader. */

import { type FeatureName, requireFeature } from "../../../base/contract/features.ts";
import { parseIndexUid } from "../../../base/contract/names.ts";
import { readWait } from "../../../base/contract/prefer.ts";
import type { TaskContent } from "../../../base/contract/task.ts";
import type { WrittenTask } from "../../../base/contract/written-task.ts";
import { indexNotFound } from "../../../base/errors/errors.ts";
import { limits } from "../../../base/limits.ts";
import type { Asker } from "../../../engine/ask/asker.ts";
import type { ReaderRequests, RequestKind } from "../../../engine/link/requests.ts";
import type { ReaderAnswer } from "../../../engine/reader/pool.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import { summarizedTask, taskPieces } from "../../../storage/tasks/views.ts";
import { type Answer, jsonAnswer } from "../answer.ts";
import type { Request, Services } from "../services.ts";
import { piecesAnswer } from "../shown-pieces.ts";

/** The uid in the path, checked. */
export function indexUidOf(request: Request): string {
  return parseIndexUid(request.param("index_uid"));
}

/** Runs `use` on the index as it is now; 404 when there is none. What `use` gets is gone once it returns. */
export function withIndex<T>(services: Pick<Services, "indexes">, uid: string, use: (index: IndexView) => T): T {
  const snapshot = services.indexes.pin();
  try {
    const index = snapshot.index(uid);
    if (index === null) throw indexNotFound(uid);
    return use(index);
  } finally {
    snapshot.release();
  }
}

/** Who asks, for the checks of what is asked. */
export function askerOf(services: Services, request: Request): Asker {
  return {
    scope: request.grant,
    features: services.features.current,
    network: services.network.current,
    personalizes: services.reranker !== null,
    withIndex: (uid, use) => withIndex(services, uid, use),
  };
}

export interface TaskExtras {
  customMetadata?: string | null;
  payload?: Uint8Array | null;
  written?: WrittenTask;
  /** Most routes accept a task with 202; a few say 200. */
  status?: number;
}

/** Makes the task durable and answers with its summary; with the finished task where the client wants to wait for it. */
export async function enqueue(
  services: Pick<Services, "tasks" | "waits" | "store">,
  request: Request,
  content: TaskContent,
  indexUid: string | null,
  extras: TaskExtras = {},
): Promise<Answer> {
  const task = await services.tasks.enqueue(content, indexUid, extras);
  const summary = jsonAnswer(extras.status ?? 202, summarizedTask(task));
  const seconds = readWait(request.head.prefer);
  return seconds === null || !services.waits.hasRoom
    ? summary
    : finishedWithin(services, request, task.uid, seconds, summary);
}

/** Not finished in time, a task was accepted, no more, also where the usual answer is another one. */
function finishedWithin(
  { waits, store }: Pick<Services, "waits" | "store">,
  request: Request,
  uid: number,
  wanted: number,
  summary: Answer,
): Answer {
  const seconds = Math.min(wanted, limits.waitSeconds);
  const headers = [["Preference-Applied", `wait=${seconds}`]] as const;
  const { finished, giveUp } = waits.wait(uid, seconds);
  request.onAbort(giveUp);
  const later = finished.then(async (task) => ({
    ...(task === null ? { ...summary, status: 202 } : await piecesAnswer(taskPieces(task, store.texts))),
    headers,
  }));
  return { ...summary, later };
}

export async function askReader<K extends RequestKind>(
  services: Pick<Services, "readers">,
  request: Request,
  kind: K,
  header: ReaderRequests[K],
): Promise<Answer> {
  return readerAnswer(await services.readers.request(kind, header, null, request));
}

export function readerAnswer({ status, contentType, body, coding, found, wants, sequence = 0 }: ReaderAnswer): Answer {
  return { status, contentType, body, coding, found, wants, sequence };
}

/** `action` opens the message, e.g. "Getting the metrics". */
export function demandFeature(services: Pick<Services, "features">, name: FeatureName, action: string): void {
  requireFeature(services.features.current, name, action);
}
