/**
 * The bytes of one batch: JSON, and, where its details are long, a line feed and these as they are shown. To read them and write
 * them again, each time that somebody looks, takes tens of milliseconds.
 */
import type { BatchRecord } from "../../base/contract/task.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { Codec } from "./table.ts";
import { LONG_DETAILS_BYTES } from "./task-record.ts";

/** JSON on one line has none. */
const LINE_FEED = 10;

export const batchCodec: Codec<BatchRecord> = {
  encode({ detailsText, ...record }) {
    const head = JSON.stringify(record);
    return Buffer.from(detailsText === undefined ? head : `${head}\n${detailsText}`);
  },
  decode(bytes) {
    const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = stored.indexOf(LINE_FEED);
    if (end === -1) return JSON.parse(stored.toString("utf8")) as BatchRecord;
    const record = JSON.parse(stored.toString("utf8", 0, end)) as BatchRecord;
    return { ...record, detailsText: stored.toString("utf8", end + 1) };
  },
};

/** As a record has them: as text where they are long. */
export function heldDetails(details: JsonObject): Pick<BatchRecord, "details" | "detailsText"> {
  const detailsText = JSON.stringify(details);
  return detailsText.length > LONG_DETAILS_BYTES ? { details: {}, detailsText } : { details };
}

export function detailsOf({ details, detailsText }: BatchRecord): JsonObject {
  return detailsText === undefined ? details : (JSON.parse(detailsText) as JsonObject);
}
