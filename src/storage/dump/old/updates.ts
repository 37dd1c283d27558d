/**
 * Dumps of versions 2 and 3: indexes in folders named after random ids, with one queue for all of them.
 *
 *   metadata.json  index_uuids/data.jsonl  updates/data.jsonl
 *   V2: indexes/index-<uuid>/{meta.json,documents.jsonl}  updates/update_files/update_<uuid>
 *   V3: indexes/<uuid>/{meta.json,documents.jsonl}        updates/updates_files/<uuid>
 */
import { isObject, type Json, type JsonObject } from "../../../base/json/value.ts";
import type { PayloadFormat } from "../../../base/payload/prepare.ts";

import type { DumpFolder } from "../files.ts";
import { timeOf } from "../layout.ts";
import type { DumpIndex, DumpSource, DumpTask, SmallRecords, Warn } from "../source.ts";
import { currentError } from "./codes.ts";
import { indexIn } from "./indexes.ts";
import { textOf } from "./plain-values.ts";
import { currentSettings } from "./settings.ts";
import { oldRecords } from "./small-records.ts";
import { deletionKind, importKind, lineOf, type OldTask, settingsKind } from "./task-line.ts";

export const QUEUE = "updates/data.jsonl";
export const INDEX_LIST = "index_uuids/data.jsonl";

const PLACES = {
  V2: { index: "indexes/index-", payload: "updates/update_files/update_" },
  V3: { index: "indexes/", payload: "updates/updates_files/" },
} as const;

/** How the documents of a waiting update were written in V2; since then it is always the last. */
const FORMATS: ReadonlyMap<string, PayloadFormat> = new Map([
  ["Csv", "csv"],
  ["Json", "json"],
  ["JsonStream", "ndjson"],
]);

export class UpdateDump implements DumpSource {
  readonly serverVersion: Json;
  readonly #folder: DumpFolder;
  readonly #places: (typeof PLACES)[keyof typeof PLACES];
  readonly #warn: Warn;

  constructor(folder: DumpFolder, metadata: JsonObject, version: keyof typeof PLACES, warn: Warn) {
    this.#folder = folder;
    this.#places = PLACES[version];
    this.#warn = warn;
    this.serverVersion = metadata["dbVersion"] ?? null;
  }

  async smallRecords(): Promise<SmallRecords> {
    return oldRecords(null, []);
  }

  /** Every index counted its updates for itself: they are numbered anew. */
  async *tasks(): AsyncGenerator<DumpTask> {
    const uids = await this.#uids();
    let uid = 0;
    for await (const { uuid, update } of this.#folder.lines(QUEUE)) {
      if (!isObject(update)) continue;
      const { kind, content, format } = this.#meta(update);
      const isWaiting = update["status"] === "enqueued" || update["status"] === "processing";
      const indexUid = uids.get(textOf(uuid)) ?? null;
      if (kind === null || (indexUid === null && isWaiting)) {
        this.#warn("tasks of indexes that the dump does not have were left out");
        continue;
      }
      const path = isWaiting ? this.#folder.pathOf(`${this.#places.payload}${content}`) : null;
      const line = lineOf({ uid: uid++, indexUid: indexUid ?? "unknown", kind, ...outcome(update, isWaiting) });
      yield { line, payload: path === null ? null : { path, format } };
    }
  }

  async *batches(): AsyncGenerator<JsonObject> {}

  async *indexes(): AsyncGenerator<DumpIndex> {
    const times = await this.#times();
    for (const [uuid, uid] of await this.#uids()) {
      const { created = null, updated = null } = times.get(uuid) ?? {};
      yield indexIn(this.#folder, `${this.#places.index}${uuid}`, { uid, created, updated }, this.#warn);
    }
  }

  async #uids(): Promise<Map<string, string>> {
    const uids = new Map<string, string>();
    for await (const { uuid, uid } of this.#folder.lines(INDEX_LIST)) uids.set(textOf(uuid), textOf(uid));
    return uids;
  }

  /** Only the queue tells when an index was made and changed. */
  async #times(): Promise<Map<string, { created?: Json; updated?: Json }>> {
    const times = new Map<string, { created?: Json; updated?: Json }>();
    for await (const { uuid, update } of this.#folder.lines(QUEUE)) {
      const finished = isObject(update) ? (update["processedAt"] ?? update["failedAt"]) : undefined;
      const moment = timeOf(finished);
      if (!isObject(update) || finished === undefined || moment === null) continue;
      const before = times.get(textOf(uuid)) ?? {};
      const { kind } = this.#meta(update);
      const makesIndex = isObject(kind) && ("documentImport" in kind || "settings" in kind);
      if (makesIndex && moment < (timeOf(before.created) ?? Number.POSITIVE_INFINITY)) before.created = finished;
      if (moment > (timeOf(before.updated) ?? 0)) before.updated = finished;
      times.set(textOf(uuid), before);
    }
    return times;
  }

  #meta(update: JsonObject): { kind: OldTask["kind"] | null; content: string; format: PayloadFormat } {
    const { meta } = update;
    // V2 names the type in a field, V3 by the key or, where nothing follows, by the text itself.
    const [name, given] = isObject(meta)
      ? typeof meta["type"] === "string"
        ? [meta["type"], meta]
        : (Object.entries(meta)[0] ?? ["", null])
      : [textOf(meta), null];
    const fields = isObject(given) ? given : {};
    const content = textOf(fields["content_uuid"] ?? update["content"] ?? "");
    const format = FORMATS.get(textOf(fields["format"])) ?? "ndjson";
    return { kind: this.#kind(name, given, fields), content, format };
  }

  #kind(name: string, given: Json, fields: JsonObject): OldTask["kind"] | null {
    switch (name) {
      case "DocumentsAddition":
      case "DocumentAddition":
        return importKind(fields["method"], fields["primary_key"], 0);
      case "DeleteDocuments":
        return deletionKind(Array.isArray(given) ? given : fields["ids"]);
      case "ClearDocuments":
        return "documentClear";
      case "Settings": {
        const { type: _, ...settings } = fields;
        return settingsKind(currentSettings(settings, this.#warn));
      }
      default:
        return null;
    }
  }
}

function outcome(update: JsonObject, isWaiting: boolean): Omit<OldTask, "uid" | "indexUid" | "kind"> {
  const { status, success, error } = update;
  const enqueuedAt = update["enqueuedAt"] ?? null;
  const startedAt = update["startedProcessingAt"] ?? null;
  if (isWaiting) return { status: "enqueued", documents: null, error: null, enqueuedAt, startedAt, finishedAt: null };
  if (status === "processed") {
    const result = isObject(success) ? Object.values(success)[0] : null;
    const count = isObject(result) ? (result["nb_documents"] ?? result["deleted"]) : null;
    const documents = typeof count === "number" ? count : null;
    const finishedAt = update["processedAt"] ?? null;
    return { status: "succeeded", documents, error: null, enqueuedAt, startedAt, finishedAt };
  }
  if (status === "aborted") {
    const body = currentError("The task was aborted by an earlier version.", "");
    const finishedAt = update["abortedAt"] ?? null;
    return { status: "failed", documents: 0, error: body, enqueuedAt, startedAt: finishedAt, finishedAt };
  }
  const [message, code] = isObject(error) ? [error["message"], error["errorCode"]] : [update["msg"], update["code"]];
  const body = currentError(message, code);
  return { status: "failed", documents: 0, error: body, enqueuedAt, startedAt, finishedAt: update["failedAt"] ?? null };
}
