/**
 * The bytes of one task: a fixed header that filters can read without parsing, then what views show, then the content.
 * Lists parse only the middle part, so that a deletion of a million ids costs a list nothing.
 *
 *   0 u8  layout         1 u8  status        2 u8  type          3 u8  flags (which optional fields are set)
 *   4 u32 batch uid      8 u32 canceled by  12 u16 bytes of the index uid   14 u16 zero
 *  16 f64 enqueued at   24 f64 started at   32 f64 finished at   40 u32 bytes of the view part
 *  44 u32 bytes of the details, with which the view part begins, where they are long; else zero
 *  48 index uid (UTF-8), view part (JSON), content (JSON)
 */

import {
  TASK_STATUSES,
  TASK_TYPES,
  type TaskContent,
  type TaskRecord,
  type TaskType,
} from "../../base/contract/task.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { KIB } from "../../base/limits.ts";
import type { Codec } from "./table.ts";

const LAYOUT = 1;
const HEADER_BYTES = 48;
const HAS_BATCH = 1;
const HAS_CANCELED_BY = 2;
const HAS_STARTED = 4;
const HAS_FINISHED = 8;
const HAS_INDEX = 16;
const VIEW_START = '{"details":';
/** Beyond this, details are shown as they are stored. */
export const LONG_DETAILS_BYTES = 16 * KIB;

/** A task without its content: all that a view or a filter needs. */
export interface TaskHead extends Omit<TaskRecord, "content"> {
  type: TaskType;
  /** Details that are long, as JSON: `details` are null then. To read them and write them again takes tens of milliseconds. */
  detailsText?: string;
}

/** What the header alone tells. */
export type TaskColumns = Pick<
  TaskHead,
  "uid" | "status" | "type" | "indexUid" | "batchUid" | "canceledBy" | "enqueuedAt" | "startedAt" | "finishedAt"
>;

type ViewPart = Pick<TaskRecord, "details" | "error" | "customMetadata">;

export const taskCodec: Codec<TaskRecord> = {
  encode: encodeTask,
  decode(bytes, key) {
    const stored = asBuffer(bytes);
    const content = JSON.parse(stored.toString("utf8", contentStart(stored))) as TaskContent;
    const head = decodeTaskHead(bytes, key as number);
    return {
      uid: head.uid,
      indexUid: head.indexUid,
      status: head.status,
      content,
      details: head.details,
      error: head.error,
      batchUid: head.batchUid,
      canceledBy: head.canceledBy,
      enqueuedAt: head.enqueuedAt,
      startedAt: head.startedAt,
      finishedAt: head.finishedAt,
      customMetadata: head.customMetadata,
    };
  },
};

export function headOf(record: TaskRecord): TaskHead {
  return headFrom(columnsOf(record), record);
}

/** Each by its name, here and above: this is made for every task, and copies of what is left of others take longer. */
function headFrom(columns: TaskColumns, { details, error, customMetadata }: ViewPart): TaskHead {
  return {
    uid: columns.uid,
    status: columns.status,
    type: columns.type,
    indexUid: columns.indexUid,
    batchUid: columns.batchUid,
    canceledBy: columns.canceledBy,
    enqueuedAt: columns.enqueuedAt,
    startedAt: columns.startedAt,
    finishedAt: columns.finishedAt,
    details,
    error,
    customMetadata,
  };
}

/** What the header will tell. */
export function columnsOf(record: TaskRecord): TaskColumns {
  return {
    uid: record.uid,
    status: record.status,
    type: record.content.type,
    indexUid: record.indexUid,
    batchUid: record.batchUid,
    canceledBy: record.canceledBy,
    enqueuedAt: record.enqueuedAt,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
  };
}

/** As it is shown, and told to other threads: long details as text. */
export function shownHeadOf(record: TaskRecord): TaskHead {
  const head = headOf(record);
  if (!mayBeLong(record.details)) return head;
  const detailsText = JSON.stringify(head.details);
  return detailsText.length > LONG_DETAILS_BYTES ? { ...head, details: null, detailsText } : head;
}

/** Most are a few numbers, which are not written out to see how long they are. */
function mayBeLong(details: JsonObject | null): boolean {
  return details !== null && Object.values(details).some((value) => value !== null && typeof value !== "number");
}

export function decodeTaskHead(bytes: Uint8Array, uid: number): TaskHead {
  const stored = asBuffer(bytes);
  const start = HEADER_BYTES + stored.readUInt16LE(12);
  return headWith(stored, uid, stored.toString("utf8", start, contentStart(stored)));
}

/** As it is shown: long details are left as text. */
export function decodeShownTask(bytes: Uint8Array, uid: number): TaskHead {
  const stored = asBuffer(bytes);
  const detailsBytes = stored.readUInt32LE(44);
  if (detailsBytes === 0) return decodeTaskHead(bytes, uid);
  const start = HEADER_BYTES + stored.readUInt16LE(12) + VIEW_START.length;
  const end = start + detailsBytes;
  const rest = stored.toString("utf8", end, contentStart(stored));
  return { ...headWith(stored, uid, `${VIEW_START}null${rest}`), detailsText: stored.toString("utf8", start, end) };
}

function headWith(stored: Buffer, uid: number, viewText: string): TaskHead {
  return headFrom(decodeTaskColumns(stored, uid), JSON.parse(viewText) as ViewPart);
}

export function decodeTaskColumns(bytes: Uint8Array, uid: number): TaskColumns {
  const stored = asBuffer(bytes);
  if (stored[0] !== LAYOUT) throw new Error(`Task ${uid} is stored in unknown layout ${stored[0]}.`);
  const flags = stored[3]!;
  const indexBytes = stored.readUInt16LE(12);
  return {
    uid,
    status: TASK_STATUSES[stored[1]!]!,
    type: TASK_TYPES[stored[2]!]!,
    indexUid: flags & HAS_INDEX ? stored.toString("utf8", HEADER_BYTES, HEADER_BYTES + indexBytes) : null,
    batchUid: flags & HAS_BATCH ? stored.readUInt32LE(4) : null,
    canceledBy: flags & HAS_CANCELED_BY ? stored.readUInt32LE(8) : null,
    enqueuedAt: stored.readDoubleLE(16),
    startedAt: flags & HAS_STARTED ? stored.readDoubleLE(24) : null,
    finishedAt: flags & HAS_FINISHED ? stored.readDoubleLE(32) : null,
  };
}

function contentStart(stored: Buffer): number {
  return HEADER_BYTES + stored.readUInt16LE(12) + stored.readUInt32LE(40);
}

function encodeTask(task: TaskRecord): Uint8Array {
  const { view, detailsBytes } = viewOf(task);
  const content = task.written?.content ?? Buffer.from(JSON.stringify(task.content));
  const indexBytes = task.indexUid === null ? 0 : Buffer.byteLength(task.indexUid);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + indexBytes + view.length + content.length);
  bytes.fill(0, 0, HEADER_BYTES);
  bytes[0] = LAYOUT;
  bytes[1] = TASK_STATUSES.indexOf(task.status);
  bytes[2] = TASK_TYPES.indexOf(task.content.type);
  bytes[3] =
    (task.batchUid === null ? 0 : HAS_BATCH) |
    (task.canceledBy === null ? 0 : HAS_CANCELED_BY) |
    (task.startedAt === null ? 0 : HAS_STARTED) |
    (task.finishedAt === null ? 0 : HAS_FINISHED) |
    (task.indexUid === null ? 0 : HAS_INDEX);
  bytes.writeUInt32LE(task.batchUid ?? 0, 4);
  bytes.writeUInt32LE(task.canceledBy ?? 0, 8);
  bytes.writeUInt16LE(indexBytes, 12);
  bytes.writeDoubleLE(task.enqueuedAt, 16);
  bytes.writeDoubleLE(task.startedAt ?? 0, 24);
  bytes.writeDoubleLE(task.finishedAt ?? 0, 32);
  bytes.writeUInt32LE(view.length, 40);
  bytes.writeUInt32LE(detailsBytes > LONG_DETAILS_BYTES ? detailsBytes : 0, 44);
  if (task.indexUid !== null) bytes.write(task.indexUid, HEADER_BYTES);
  bytes.set(view, HEADER_BYTES + indexBytes);
  bytes.set(content, HEADER_BYTES + indexBytes + view.length);
  return bytes;
}

function viewOf({ details, error, customMetadata, written }: TaskRecord): { view: Uint8Array; detailsBytes: number } {
  const shown = written?.details ?? Buffer.from(JSON.stringify(details));
  const rest: Omit<ViewPart, "details"> = { error, customMetadata };
  const view = Buffer.concat([Buffer.from(VIEW_START), shown, Buffer.from(`,${JSON.stringify(rest).slice(1)}`)]);
  return { view, detailsBytes: shown.length };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
