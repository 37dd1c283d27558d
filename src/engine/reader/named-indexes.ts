/** Which indexes a long body names, for a front that has to know whether it is answered by this server. */
import { readBoundedJson } from "../../base/contract/json-body.ts";
import { indexesNamedIn } from "../../base/contract/named-indexes.ts";
import { limits } from "../../base/limits.ts";
import type { Reply } from "./task.ts";
import { TimeSlice } from "./time-slice.ts";

export async function readNamedIndexes(payload: Uint8Array): Promise<Reply> {
  const turns = new TimeSlice();
  const body = await readBoundedJson(payload, limits.searchBodyValues, () => turns.pause());
  await turns.pause();
  return { status: 200, contentType: "application/json", body: Buffer.from(JSON.stringify(indexesNamedIn(body))) };
}
