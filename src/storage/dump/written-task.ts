/**
 * A task as a line of the dump. Kind and details are written in the common form, which other servers of the interface can
 * read; what only this one knows is beside it, under a name that they pass over.
 */

import type { TaskContent, TaskRecord } from "../../base/contract/task.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";
import { formatTime } from "../../base/time/time.ts";
import { timeText } from "./layout.ts";
import { encodeUids } from "./roaring.ts";

/** `keys` go to a dump that waits: another server that makes it takes them from its task. */
export function taskLine(task: TaskRecord, keys: () => JsonObject[]): JsonObject {
  const { payload: _, ...content } = task.content as unknown as JsonObject;
  const isFinished = task.finishedAt !== null;
  return {
    uid: task.uid,
    batchUid: task.batchUid,
    indexUid: task.indexUid,
    // A task that ran is dumped as it ended, one that runs as one that waits.
    status: isFinished ? task.status : "enqueued",
    type: kindOf(task, isFinished ? () => [] : keys),
    canceledBy: task.canceledBy,
    details: detailsOf(task),
    error: task.error as unknown as Json,
    enqueuedAt: formatTime(task.enqueuedAt),
    startedAt: timeText(task.startedAt),
    finishedAt: timeText(task.finishedAt),
    customMetadata: task.customMetadata,
    own: { content, details: task.details },
  };
}

function kindOf({ content, indexUid }: TaskRecord, keys: () => JsonObject[]): Json {
  switch (content.type) {
    case "documentAdditionOrUpdate":
      return {
        documentImport: {
          primary_key: content.primaryKey,
          method: content.method === "update" ? "UpdateDocuments" : "ReplaceDocuments",
          documents_count: content.documentsCount,
          allow_index_creation: content.allowIndexCreation,
        },
      };
    case "documentDeletion":
      if (content.by === "all") return "documentClear";
      if (content.by === "filter") return { documentDeletionByFilter: { filter: content.filter } };
      return { documentDeletion: { documents_ids: content.by === "ids" ? content.ids : [] } };
    case "documentEdition":
      return { documentEdition: { filter: content.filter, context: content.context, function: content.function } };
    case "settingsUpdate":
      return {
        settings: {
          settings: content.settings,
          is_deletion: content.isDeletion,
          allow_index_creation: content.allowIndexCreation,
        },
      };
    case "indexCreation":
      return { indexCreation: { primary_key: content.primaryKey } };
    case "indexUpdate":
      return { indexUpdate: { primary_key: content.primaryKey, uid: content.newIndexUid } };
    case "indexSwap":
      return { indexSwap: { swaps: content.swaps } };
    case "taskCancelation":
      return { taskCancelation: { query: content.originalFilter, tasks: encodeUids(content.matchedUids) } };
    case "taskDeletion":
      return { tasksDeletion: { query: content.originalFilter, tasks: encodeUids(content.matchedUids) } };
    case "dumpCreation":
      return { dumpCreation: { keys: keys(), instance_uid: null } };
    case "export": {
      const { url, apiKey, payloadSize, indexes } = content;
      return { export: { url, api_key: apiKey, payload_size: payloadSize, indexes } };
    }
    case "upgradeDatabase":
      return { upgradeDatabase: { from: versionNumbers(content.from) } };
    case "indexCompaction":
      return { indexCompaction: { index_uid: indexUid ?? "" } };
    case "networkTopologyChange":
      return { networkTopologyChange: { state: "finished", inRemotes: {}, oldNetwork: {}, newNetwork: {}, stats: {} } };
    case "dsrUpdate":
      return { dsrUpdate: ruleChange(content) };
    case "indexDeletion":
    case "snapshotCreation":
    case "dsrClear":
      return content.type;
  }
}

/** The details that the interface shows, under the names and in the groups of the common form. */
function detailsOf({ content, indexUid, details }: TaskRecord): Json {
  const shown = details ?? {};
  const counted = (name: string): Json => shown[name] ?? null;
  const deleted = { deleted_documents: counted("deletedDocuments") };
  switch (content.type) {
    case "documentAdditionOrUpdate": {
      const received = { received_documents: shown["receivedDocuments"] ?? content.documentsCount };
      return { DocumentAdditionOrUpdate: { ...received, indexed_documents: counted("indexedDocuments") } };
    }
    case "documentDeletion":
      if (content.by === "all") return { ClearAll: deleted };
      if (content.by === "filter") {
        return { DocumentDeletionByFilter: { original_filter: JSON.stringify(content.filter), ...deleted } };
      }
      return { DocumentDeletion: { provided_ids: shown["providedIds"] ?? 0, ...deleted } };
    case "documentEdition":
      return {
        DocumentEdition: {
          ...deleted,
          edited_documents: counted("editedDocuments"),
          original_filter: counted("originalFilter"),
          context: content.context,
          function: content.function,
        },
      };
    case "settingsUpdate":
      return { SettingsUpdate: { settings: shown } };
    case "indexCreation":
    case "indexUpdate": {
      const uids = { new_index_uid: counted("newIndexUid"), old_index_uid: counted("oldIndexUid") };
      return { IndexInfo: { primary_key: counted("primaryKey"), ...uids } };
    }
    case "indexSwap":
      return { IndexSwap: { swaps: content.swaps } };
    case "taskCancelation":
      return { TaskCancelation: { ...matched(content), canceled_tasks: counted("canceledTasks") } };
    case "taskDeletion":
      return { TaskDeletion: { ...matched(content), deleted_tasks: counted("deletedTasks") } };
    case "dumpCreation":
      return { Dump: { dump_uid: counted("dumpUid") } };
    case "export": {
      const { url, payloadSize } = content;
      const indexes = exportedIndexes(isObject(shown["indexes"]) ? shown["indexes"] : content.indexes);
      return { Export: { url, api_key: counted("apiKey"), payload_size: payloadSize, indexes } };
    }
    case "upgradeDatabase":
      return { UpgradeDatabase: { from: versionNumbers(content.from), to: versionNumbers(content.to) } };
    case "indexCompaction":
      return { IndexCompaction: { index_uid: indexUid ?? "" } };
    case "networkTopologyChange":
      return { NetworkTopologyChange: { moved_documents: shown["movedDocuments"] ?? 0, message: "" } };
    case "dsrUpdate":
      return { DsrUpdate: ruleChange(content) };
    case "indexDeletion":
    case "dsrClear":
      return { ClearAll: deleted };
    case "snapshotCreation":
      return null;
  }
}

function matched({ matchedUids, originalFilter }: { matchedUids: number[]; originalFilter: string }): JsonObject {
  return { matched_tasks: matchedUids.length, original_filter: originalFilter };
}

function exportedIndexes(indexes: JsonObject): JsonObject {
  const renamed = Object.entries(indexes).map(([pattern, settings]) => {
    const { matchedDocuments = null, ...same } = isObject(settings) ? settings : {};
    return [pattern, { ...same, matched_documents: matchedDocuments }] as const;
  });
  return Object.fromEntries(renamed);
}

function ruleChange({ uid, update }: Extract<TaskContent, { type: "dsrUpdate" }>): JsonObject {
  return update === null ? { deletion: uid } : { createOrUpdate: { rule_id: uid, update } };
}

/** `v1.2.3` is `[1, 2, 3]`. */
function versionNumbers(version: string): number[] {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? ["", "0", "0", "0"];
  return numbers.map(Number);
}
