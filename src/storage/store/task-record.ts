/**
 * The bytes of one task: a fixed header that filters can read without parsing, then what views show, then the content.
 * Lists parse only the middle part. What is long, of a content or of details, is no part of the record (`texts.ts`).
 *
 *   0 u8  layout         1 u8  status        2 u8  type          3 u8  flags (which optional fields are set)
 *   4 u32 batch uid      8 u32 canceled by  12 u16 bytes of the index uid   14 u16 zero
 *  16 f64 enqueued at   24 f64 started at   32 f64 finished at   40 u32 bytes of the view part   44 u32 of no meaning
 *  48 index uid (UTF-8), view part (JSON), content (JSON), which the second layout has as a text
 */

import {
  TASK_STATUSES,
  TASK_TYPES,
  type TaskContent,
  type TaskRecord,
  type TaskType,
} from "../../base/contract/task.ts";
import { KIB } from "../../base/limits.ts";
import type { Codec } from "./table.ts";
import { shortDetails, type Texts, wholeDetails, wholeText } from "./texts.ts";

const LAYOUT = 1;
const LAYOUT_WITH_TEXTS = 2;
const HEADER_BYTES = 48;
const HAS_BATCH = 1;
const HAS_CANCELED_BY = 2;
const HAS_STARTED = 4;
const HAS_FINISHED = 8;
const HAS_INDEX = 16;
const DESK_BYTES = 16 * KIB;
const SHARED_TEXT_UNITS_MAX = 512;
/** In UTF-8. */
const BYTES_A_UNIT_MAX = 3;

/** A task without its content: all that a view or a filter needs. Its details have null in the place of texts. */
export interface TaskHead extends Omit<TaskRecord, "content"> {
  type: TaskType;
}

/** What the header alone tells. */
export type TaskColumns = Pick<
  TaskHead,
  "uid" | "status" | "type" | "indexUid" | "batchUid" | "canceledBy" | "enqueuedAt" | "startedAt" | "finishedAt"
>;

type ViewPart = Pick<TaskRecord, "details" | "error" | "customMetadata" | "texts">;

/** Whole tasks: their texts are read with them, which only threads do that have the time. */
export function taskCodecOver(texts: Texts): Codec<TaskRecord> {
  return {
    encode: encodeTask,
    decode(bytes, key) {
      const head = decodeTaskHead(bytes, key as number);
      const refs = head.texts;
      const content = refs === undefined ? contentOf(bytes) : wholeText(refs.content, texts);
      return {
        uid: head.uid,
        indexUid: head.indexUid,
        status: head.status,
        content: content as TaskContent,
        details: wholeDetails(head.details, refs?.details, texts),
        error: head.error,
        batchUid: head.batchUid,
        canceledBy: head.canceledBy,
        enqueuedAt: head.enqueuedAt,
        startedAt: head.startedAt,
        finishedAt: head.finishedAt,
        customMetadata: head.customMetadata,
        ...(refs === undefined ? {} : { texts: refs }),
      };
    },
  };
}

/** Null where it is a text. */
export function contentOf(bytes: Uint8Array): TaskContent | null {
  const stored = asBuffer(bytes);
  if (stored[0] === LAYOUT_WITH_TEXTS) return null;
  return JSON.parse(stored.toString("utf8", contentStart(stored))) as TaskContent;
}

export function headOf(record: TaskRecord): TaskHead {
  return headFrom(columnsOf(record), record);
}

/** Each by its name, here and above: this is made for every task, and copies of what is left of others take longer. */
function headFrom(columns: TaskColumns, { details, error, customMetadata, texts }: ViewPart): TaskHead {
  const head: TaskHead = {
    uid: columns.uid,
    status: columns.status,
    type: columns.type,
    indexUid: columns.indexUid,
    batchUid: columns.batchUid,
    canceledBy: columns.canceledBy,
    enqueuedAt: columns.enqueuedAt,
    startedAt: columns.startedAt,
    finishedAt: columns.finishedAt,
    details: shortDetails(details, texts?.details),
    error,
    customMetadata,
  };
  if (texts !== undefined) head.texts = texts;
  return head;
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

export function decodeTaskHead(bytes: Uint8Array, uid: number): TaskHead {
  const stored = asBuffer(bytes);
  const view = stored.toString("utf8", HEADER_BYTES + stored.readUInt16LE(12), contentStart(stored));
  return headFrom(decodeTaskColumns(stored, uid), viewFrom(view));
}

/** Read last: tasks of one kind have the same, and share it. */
let lastText = "";
let lastView: ViewPart | null = null;

function viewFrom(text: string): ViewPart {
  if (lastView !== null && text === lastText) return lastView;
  const view = JSON.parse(text) as ViewPart;
  if (text.length > SHARED_TEXT_UNITS_MAX) return view;
  Object.freeze(view.details);
  lastText = text;
  lastView = view;
  return view;
}

/** Of a record of a task, from its header. */
export function isFinished(bytes: Uint8Array): boolean {
  return (bytes[3]! & HAS_FINISHED) !== 0;
}

export function decodeTaskColumns(bytes: Uint8Array, uid: number): TaskColumns {
  const stored = asBuffer(bytes);
  if (stored[0] !== LAYOUT && stored[0] !== LAYOUT_WITH_TEXTS)
    throw new Error(`Task ${uid} is stored in unknown layout ${stored[0]}.`);
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

/** Where records are put together, but for long ones. */
const desk = Buffer.allocUnsafeSlow(DESK_BYTES);

function encodeTask(task: TaskRecord): Uint8Array {
  const { texts } = task;
  const view = JSON.stringify(viewOf(task));
  const content = texts === undefined ? JSON.stringify(task.content) : "";
  const index = task.indexUid ?? "";
  const text = `${index}${view}${content}`;
  const most = HEADER_BYTES + BYTES_A_UNIT_MAX * text.length;
  const bytes = most <= DESK_BYTES ? desk : Buffer.allocUnsafe(most);
  const textBytes = bytes.write(text, HEADER_BYTES);
  // Most have a byte for each unit.
  const isPlain = textBytes === text.length;
  const indexBytes = isPlain ? index.length : Buffer.byteLength(index);
  const viewBytes = isPlain ? view.length : Buffer.byteLength(view);
  bytes.fill(0, 0, HEADER_BYTES);
  bytes[0] = texts === undefined ? LAYOUT : LAYOUT_WITH_TEXTS;
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
  bytes.writeUInt32LE(viewBytes, 40);
  return bytes.subarray(0, HEADER_BYTES + textBytes);
}

function viewOf({ details, error, customMetadata, texts }: TaskRecord): ViewPart {
  const view: ViewPart = { details: shortDetails(details, texts?.details), error, customMetadata };
  if (texts !== undefined) view.texts = texts;
  return view;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
