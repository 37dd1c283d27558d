/** Bodies of writes that are too much work for the front: read and checked here, and written as their tasks are stored. */
import { taskOf } from "../ask/tasks.ts";
import { readBoundedJson } from "../contract/json-body.ts";
import { limits } from "../limits.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { initialDetails } from "../tasks/details.ts";
import { encodeWritten } from "../tasks/written.ts";
import type { Reply } from "./task.ts";
import { Turns } from "./turns.ts";

export async function readTask({ route, indexUid }: ReaderRequests["task.read"], payload: Uint8Array): Promise<Reply> {
  const turns = new Turns();
  const content = taskOf(route, await readBoundedJson(payload, limits.taskBodyValues, () => turns.pause()));
  await turns.pause();
  const details = Buffer.from(JSON.stringify(initialDetails(content, indexUid)));
  const body = encodeWritten({ details, content: Buffer.from(JSON.stringify(content)) });
  return { status: 200, contentType: "application/octet-stream", body };
}
