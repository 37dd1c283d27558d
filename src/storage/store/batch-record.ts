/**
 * The bytes of one batch: JSON. Earlier releases have put a line feed behind it and then its details, where these were long; now
 * long ones are texts (`texts.ts`).
 */
import type { BatchRecord, TaskRecord } from "../../base/contract/task.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { Codec } from "./table.ts";
import { shortDetails } from "./texts.ts";

/** JSON on one line has none. */
const LINE_FEED = 10;

export const batchCodec: Codec<BatchRecord> = {
  encode: (record) => Buffer.from(JSON.stringify(record)),
  decode(bytes) {
    const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = stored.indexOf(LINE_FEED);
    if (end === -1) return JSON.parse(stored.toString("utf8")) as BatchRecord;
    const record = JSON.parse(stored.toString("utf8", 0, end)) as BatchRecord;
    return { ...record, details: JSON.parse(stored.toString("utf8", end + 1)) as JsonObject };
  },
};

/** As a record has them. `merged`: the details of all tasks as one; long members are the texts of the task that they are of. */
export function heldDetails(
  merged: JsonObject,
  tasks: readonly Pick<TaskRecord, "details" | "texts">[],
): Pick<BatchRecord, "details" | "texts"> {
  const texts: Required<BatchRecord>["texts"] = {};
  for (const { details, texts: own } of tasks) {
    for (const [name, value] of Object.entries(details ?? {})) {
      if (value === null) continue;
      const ref = own?.details[name];
      if (ref === undefined) delete texts[name];
      else texts[name] = ref;
    }
  }
  return Object.keys(texts).length === 0 ? { details: merged } : { details: shortDetails(merged, texts), texts };
}
