/** Bodies of writes: read here when they are short, by a reader when that takes longer than the front may work on one. */

import { isHeavy, parseJson } from "../../base/contract/json-body.ts";
import type { TaskContent } from "../../base/contract/task.ts";
import { decodeWritten } from "../../base/contract/written-task.ts";
import { limits } from "../../base/limits.ts";
import { type TaskRoute, taskOf } from "../../engine/ask/tasks.ts";
import type { Answer } from "./answer.ts";
import { withFile } from "./large-payloads.ts";
import { enqueue, readerAnswer, type TaskExtras } from "./routes/common.ts";
import type { Request, Services } from "./services.ts";

/** Compiling a longer script takes milliseconds. */
const SCRIPT_BODY_BYTES = 4096;

/** Of the route whose bodies may be as long as any. */
export const LONG_LIST = { bodyBytesMax: Number.POSITIVE_INFINITY, sharesBody: true };

/** Of routes whose tasks show all that was sent. */
export const LONG_SHOWN = { bodyBytesMax: limits.shownBodyBytes, sharesBody: true };

/** What stands for a content that is not looked into here. */
const UNREAD: Record<TaskRoute["of"], TaskContent> = {
  settings: { type: "settingsUpdate", settings: {}, isDeletion: false, allowIndexCreation: false },
  setting: { type: "settingsUpdate", settings: {}, isDeletion: false, allowIndexCreation: false },
  deleteBatch: { type: "documentDeletion", by: "ids", ids: [] },
  deleteByFilter: { type: "documentDeletion", by: "filter", filter: null },
  edit: { type: "documentEdition", filter: null, context: null, function: "" },
  export: { type: "export", url: "", apiKey: null, payloadSize: null, indexes: {} },
};

export async function enqueueBody(
  services: Services,
  request: Request,
  what: Pick<TaskRoute, "of"> & Partial<TaskRoute>,
  indexUid: string | null,
  extras: TaskExtras = {},
): Promise<Answer> {
  const body = request.jsonBytes();
  if (what.of === "deleteBatch" && body.length > limits.inlinePayloadBytes) {
    return enqueueIds(services, request, body, indexUid, extras);
  }
  const route = { setting: null, features: services.features.current, allowIndexCreation: false, ...what };
  const isLong = isHeavy(body) || (route.of === "edit" && body.length > SCRIPT_BODY_BYTES);
  if (!isLong) return enqueue(services, request, taskOf(route, parseJson(body)), indexUid, extras);
  const answer = await services.readers.request("task.read", { route, indexUid: indexUid ?? "" }, body, request);
  if (answer.status !== 200) return readerAnswer(answer);
  const written = decodeWritten(answer.body);
  return written.content === null
    ? enqueue(services, request, UNREAD[route.of], indexUid, { ...extras, written })
    : enqueue(services, request, written.content, indexUid, extras);
}

/** Ids that are too long for a record: nothing of them passes through this thread but the bytes that come in. */
async function enqueueIds(
  services: Services,
  request: Request,
  body: Uint8Array,
  indexUid: string | null,
  extras: TaskExtras,
): Promise<Answer> {
  const { payload, idsCount } = await services.largePayloads.prepareIds(body);
  const content: TaskContent = { type: "documentDeletion", by: "listedIds", payload, idsCount };
  return withFile(services, payload, () => enqueue(services, request, content, indexUid, extras));
}
