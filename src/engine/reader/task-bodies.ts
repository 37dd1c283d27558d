/** Bodies of writes that are too much work for the front: read and checked here, and written as their tasks are stored. */

import { readBoundedJson } from "../../base/contract/json-body.ts";
import { encodeWritten, type SealedPiece } from "../../base/contract/written-task.ts";
import { limits } from "../../base/limits.ts";
import { seal } from "../../storage/store/seal.ts";
import { putTaskTexts, shortDetails } from "../../storage/store/texts.ts";
import { initialDetails } from "../../storage/tasks/types.ts";
import { taskOf } from "../ask/tasks.ts";
import type { ReaderRequests } from "../link/requests.ts";
import type { Reply } from "./task.ts";
import { TimeSlice } from "./time-slice.ts";

export async function readTask({ route, indexUid }: ReaderRequests["task.read"], payload: Uint8Array): Promise<Reply> {
  const turns = new TimeSlice();
  const content = taskOf(route, await readBoundedJson(payload, limits.taskBodyValues, () => turns.pause()));
  await turns.pause();
  const details = initialDetails(content, indexUid);
  const pieces: SealedPiece[] = [];
  const texts = putTaskTexts(content, details, (key, piece) => pieces.push({ key, sealed: seal("texts", key, piece) }));
  const body = encodeWritten({
    details: shortDetails(details, texts?.details),
    ...(texts === undefined ? { content } : { content: null, texts }),
    pieces,
  });
  return { status: 200, contentType: "application/octet-stream", body };
}
