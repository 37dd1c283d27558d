/**
 * Lines of a dump as the records they stand for: the server's own lines, and those of dumps in the common form, in
 * which a task names its kind by an object and its details by another. Lines that stand for nothing known give null.
 */

import { readSize } from "../../base/contract/instance.ts";
import {
  type BatchRecord,
  type BatchStats,
  TASK_STATUSES,
  TASK_TYPES,
  type TaskContent,
  type TaskRecord,
  type TaskStatus,
} from "../../base/contract/task.ts";
import type { ErrorBody } from "../../base/errors/errors.ts";
import { redactSettings } from "../../base/json/secrets.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";
import type { KeyRecord, WebhookRecord } from "../store/store.ts";
import { initialDetails } from "../tasks/types.ts";
import { timeOf } from "./layout.ts";
import { decodeUids } from "./roaring.ts";

export function readKey(line: JsonObject): KeyRecord | null {
  const { uid, actions, indexes } = line;
  if (typeof uid !== "string" || !Array.isArray(actions) || !Array.isArray(indexes)) return null;
  const createdAt = timeOf(line["created_at"] ?? line["createdAt"]) ?? 0;
  const expires = line["expires_at"] ?? line["expiresAt"] ?? null;
  const expiresAt = timeOf(expires);
  // A key that was to end must not become one that never does.
  if (expires !== null && expiresAt === null) return null;
  return {
    uid,
    name: textOr(line["name"], null),
    description: textOr(line["description"], null),
    actions: actions.filter(isText),
    indexes: indexes.filter(isText),
    expiresAt,
    createdAt,
    updatedAt: timeOf(line["updated_at"] ?? line["updatedAt"]) ?? createdAt,
  };
}

export function readWebhook(value: Json): WebhookRecord | null {
  if (!isObject(value) || typeof value["url"] !== "string") return null;
  const headers = isObject(value["headers"]) ? value["headers"] : {};
  return { url: value["url"], headers: headers as Record<string, string> };
}

/** The task with a payload that holds nothing: who needs the payload takes it from its own file. */
export function readTask(line: JsonObject): TaskRecord | null {
  const content = contentOf(line);
  const status = line["status"] as TaskStatus;
  if (content === null || !isUid(line["uid"]) || !TASK_STATUSES.includes(status)) return null;
  const indexUid = textOr(line["indexUid"], null);
  const finishedAt = timeOf(line["finishedAt"]);
  const isFinished = finishedAt !== null && status !== "enqueued" && status !== "processing";
  return {
    uid: line["uid"],
    indexUid,
    status: isFinished ? status : "enqueued",
    content,
    details: isFinished ? detailsOf(line, content, indexUid) : initialDetails(content, indexUid),
    error: isFinished ? ((line["error"] ?? null) as unknown as ErrorBody | null) : null,
    batchUid: isFinished ? numberOr(line["batchUid"], null) : null,
    canceledBy: isFinished ? numberOr(line["canceledBy"], null) : null,
    enqueuedAt: timeOf(line["enqueuedAt"]) ?? 0,
    startedAt: isFinished ? timeOf(line["startedAt"]) : null,
    finishedAt: isFinished ? finishedAt : null,
    customMetadata: textOr(line["customMetadata"], null),
  };
}

/**
 * `namedBy` are the tasks that name the batch, for lines that do not list them. Servers before 1.18 kept batches whose
 * tasks are all gone; nobody could ever delete them, so they are left out.
 */
export function readBatch(line: JsonObject, namedBy: number[]): BatchRecord | null {
  const startedAt = timeOf(line["startedAt"]);
  const { uid, stats, embedderStats } = line;
  const taskUids = Array.isArray(line["taskUids"]) ? line["taskUids"].filter(isUid) : namedBy;
  if (!isUid(uid) || startedAt === null || !isObject(stats) || taskUids.length === 0) return null;
  const requests = isObject(embedderStats) ? { embedderRequests: embedderStats } : {};
  return {
    uid,
    taskUids,
    details: isObject(line["details"]) ? line["details"] : {},
    stats: { ...requests, ...stats } as unknown as BatchStats,
    startedAt,
    finishedAt: timeOf(line["finishedAt"]) ?? startedAt,
    strategy: textOr(line["stopReason"] ?? line["batchStrategy"], null) ?? "from a dump",
  };
}

const UID_MAX = 0xffff_fff0;
const NO_PAYLOAD = { kind: "inline", name: "", bytes: 0 } as const;

/** What this server has written beside the common form, or in its place. */
function ownOf(line: JsonObject): { content?: Json; details?: Json } {
  return isObject(line["own"]) ? line["own"] : isObject(line["content"]) ? line : {};
}

function contentOf(line: JsonObject): TaskContent | null {
  const { type } = line;
  const { content } = ownOf(line);
  if (isObject(content) && TASK_TYPES.some((name) => name === content["type"])) {
    const own = content as unknown as TaskContent;
    return own.type === "documentAdditionOrUpdate" ? { ...own, payload: NO_PAYLOAD } : own;
  }
  if (typeof type === "string") return commonContent(type, {});
  if (!isObject(type)) return null;
  const [kind] = Object.keys(type);
  const given = kind === undefined ? undefined : type[kind];
  return commonContent(kind ?? "", isObject(given) ? given : {});
}

function commonContent(kind: string, given: JsonObject): TaskContent | null {
  return Object.hasOwn(COMMON_KINDS, kind) ? COMMON_KINDS[kind]!(given) : null;
}

/** Kinds of the common form. What a finished task needs no more is not looked for. */
const COMMON_KINDS: Record<string, (given: JsonObject) => TaskContent | null> = {
  documentImport: (given) => ({
    type: "documentAdditionOrUpdate",
    method: given["method"] === "UpdateDocuments" ? "update" : "replace",
    primaryKey: textOr(given["primary_key"], null),
    payload: NO_PAYLOAD,
    documentsCount: numberOr(given["documents_count"], 0),
    allowIndexCreation: given["allow_index_creation"] !== false,
    skipCreation: false,
  }),
  documentEdition: (given) => ({
    type: "documentEdition",
    filter: given["filter"] ?? null,
    context: isObject(given["context"]) ? given["context"] : null,
    function: textOr(given["function"], ""),
  }),
  documentDeletion: (given) => ({
    type: "documentDeletion",
    by: "ids",
    ids: (given["documents_ids"] ?? []) as string[],
  }),
  documentDeletionByFilter: (given) => ({
    type: "documentDeletion",
    by: "filter",
    filter: given["filter"] ?? given["filter_expr"] ?? null,
  }),
  documentClear: () => ({ type: "documentDeletion", by: "all" }),
  settings: (given) => ({
    type: "settingsUpdate",
    settings: isObject(given["settings"]) ? given["settings"] : {},
    isDeletion: given["is_deletion"] === true,
    allowIndexCreation: given["allow_index_creation"] !== false,
  }),
  indexCreation: (given) => ({ type: "indexCreation", primaryKey: textOr(given["primary_key"], null) }),
  indexUpdate: (given) => ({
    type: "indexUpdate",
    primaryKey: textOr(given["primary_key"], null),
    newIndexUid: textOr(given["new_index_uid"] ?? given["uid"], null),
  }),
  indexDeletion: () => ({ type: "indexDeletion" }),
  indexSwap: (given) => ({
    type: "indexSwap",
    swaps: ((given["swaps"] ?? []) as JsonObject[]).map(({ indexes, rename }) => ({
      indexes: indexes as [string, string],
      rename: rename === true,
    })),
  }),
  taskCancelation: (given) => matching("taskCancelation", given),
  tasksDeletion: (given) => matching("taskDeletion", given),
  dumpCreation: () => ({ type: "dumpCreation" }),
  snapshotCreation: () => ({ type: "snapshotCreation" }),
  indexCompaction: () => ({ type: "indexCompaction" }),
  export: (given) => ({
    type: "export",
    url: textOr(given["url"], ""),
    apiKey: textOr(given["api_key"], null),
    payloadSize: bytesOf(given["payload_size"]),
    indexes: exportedIndexes(isObject(given["indexes"]) ? given["indexes"] : {}),
  }),
  networkTopologyChange: () => ({ type: "networkTopologyChange" }),
  dsrUpdate: (given) => {
    const { createOrUpdate, deletion } = given;
    if (typeof deletion === "string") return { type: "dsrUpdate", uid: deletion, update: null };
    if (!isObject(createOrUpdate) || !isObject(createOrUpdate["update"])) return null;
    return { type: "dsrUpdate", uid: textOr(createOrUpdate["rule_id"], ""), update: createOrUpdate["update"] };
  },
  dsrClear: () => ({ type: "dsrClear" }),
  upgradeDatabase: (given) => ({ type: "upgradeDatabase", from: versionText(given["from"]), to: "" }),
};

function matching(type: "taskCancelation" | "taskDeletion", given: JsonObject): TaskContent {
  return { type, matchedUids: decodeUids(given["tasks"]) ?? [], originalFilter: textOr(given["query"], "") };
}

/** A number, or a text such as `1 MiB`. */
function bytesOf(value: Json | undefined): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" ? readSize(value) : null;
}

function exportedIndexes(indexes: JsonObject): Extract<TaskContent, { type: "export" }>["indexes"] {
  const read = Object.entries(indexes).map(([pattern, settings]) => {
    const { filter = null, overrideSettings } = isObject(settings) ? settings : {};
    return [pattern, { filter, overrideSettings: overrideSettings === true }] as const;
  });
  return Object.fromEntries(read);
}

function detailsOf(line: JsonObject, content: TaskContent, indexUid: string | null): JsonObject | null {
  const own = ownOf(line);
  if (isObject(own.content)) return isObject(own.details) ? own.details : null;
  const { details } = line;
  if (!isObject(details)) return null;
  const given = Object.values(details)[0];
  const initial = initialDetails(content, indexUid);
  if (!isObject(given) || content.type === "dsrUpdate") return initial;
  if (content.type === "settingsUpdate") return redactSettings(isObject(given["settings"]) ? given["settings"] : {});
  if (content.type === "upgradeDatabase") {
    return { upgradeFrom: versionText(given["from"]), upgradeTo: versionText(given["to"]) };
  }
  if (content.type === "export") return { ...initial, indexes: exportDetails(given["indexes"] ?? {}) };
  const shown = Object.entries(given).map(([name, value]) => [camelCase(name), value] as const);
  // What the interface leaves out where there is none of it, the common form has as null.
  const told = shown.filter(([name, value]) => value !== null || Object.hasOwn(initial ?? {}, name));
  return { ...initial, ...Object.fromEntries(told) };
}

/** How many documents each pattern met, under the name that is shown. */
function exportDetails(value: Json): Json {
  if (!isObject(value)) return value;
  const patterns = Object.entries(value).map(([pattern, settings]) => {
    const { matched_documents: matchedDocuments = null, ...same } = isObject(settings) ? settings : {};
    return [pattern, matchedDocuments === null ? same : { ...same, matchedDocuments }] as const;
  });
  return Object.fromEntries(patterns);
}

/** `[1, 2, 3]` is written `v1.2.3`. */
function versionText(numbers: Json | undefined): string {
  return Array.isArray(numbers) ? `v${numbers.join(".")}` : "";
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

/** Tasks and batches are numbered with 32 bits, the last of which are nobody's. */
function isUid(value: Json | undefined): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= UID_MAX;
}

function textOr<T>(value: Json | undefined, other: T): string | T {
  return typeof value === "string" ? value : other;
}

function numberOr<T>(value: Json | undefined, other: T): number | T {
  return typeof value === "number" ? value : other;
}
