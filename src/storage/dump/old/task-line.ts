/** What the tasks of every old version come down to, and the line of the current version that says the same. */

import type { ErrorBody } from "../../../base/errors/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../base/json/value.ts";

export interface OldTask {
  uid: number;
  indexUid: string | null;
  /** As the current version writes it: an object with the name of the kind as its one key, or the name alone. */
  kind: JsonObject | string;
  status: "enqueued" | "succeeded" | "failed";
  /** Documents that were written or deleted, where the dump tells. */
  documents: number | null;
  error: ErrorBody | null;
  enqueuedAt: Json;
  startedAt: Json;
  finishedAt: Json;
}

export function lineOf(task: OldTask): JsonObject {
  const { uid, indexUid, status, kind, enqueuedAt } = task;
  const isFinished = status !== "enqueued";
  return {
    uid,
    batchUid: null,
    indexUid,
    status,
    type: kind,
    details: detailsOf(task),
    error: task.error as unknown as Json,
    enqueuedAt,
    startedAt: isFinished ? task.startedAt : null,
    finishedAt: isFinished ? task.finishedAt : null,
  };
}

function detailsOf({ kind, status, documents }: OldTask): JsonObject | null {
  const [name, given] = typeof kind === "string" ? [kind, {}] : Object.entries(kind)[0]!;
  const fields = isObject(given) ? given : {};
  const count = status === "failed" ? 0 : documents;
  switch (name) {
    case "documentImport":
      return {
        DocumentAdditionOrUpdate: { received_documents: fields["documents_count"] ?? 0, indexed_documents: count },
      };
    case "documentDeletion":
      return {
        DocumentDeletion: { provided_ids: (fields["documents_ids"] as Json[]).length, deleted_documents: count },
      };
    case "documentClear":
    case "indexDeletion":
      return { ClearAll: { deleted_documents: count } };
    case "settings":
      return { SettingsUpdate: { settings: fields["settings"] ?? {} } };
    case "indexCreation":
    case "indexUpdate":
      return { IndexInfo: { primary_key: fields["primary_key"] ?? null } };
    case "dumpCreation":
      return { Dump: { dump_uid: fields["dump_uid"] ?? null } };
    default:
      return null;
  }
}

export function importKind(method: Json | undefined, primaryKey: Json | undefined, count: number): JsonObject {
  return {
    documentImport: {
      primary_key: primaryKey ?? null,
      method: method ?? "ReplaceDocuments",
      documents_count: count,
      allow_index_creation: true,
    },
  };
}

export function deletionKind(ids: Json | undefined): JsonObject {
  return { documentDeletion: { documents_ids: Array.isArray(ids) ? ids : [] } };
}

export function settingsKind(settings: JsonObject, isDeletion = false, allowIndexCreation = true): JsonObject {
  return { settings: { settings, is_deletion: isDeletion, allow_index_creation: allowIndexCreation } };
}
