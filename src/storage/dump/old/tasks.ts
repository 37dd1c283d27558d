/**
 * Dumps of versions 4 and 5: tasks that list what happened to them, and keys.
 *
 *   metadata.json  instance-uid  keys  index_uuids/data.jsonl  updates/data.jsonl  updates/updates_files/<uuid>
 *   indexes/<uuid>/{meta.json,documents.jsonl}
 */

import { randomUUID } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../../../base/json/value.ts";
import type { DumpFolder } from "../files.ts";
import type { DumpIndex, DumpSource, DumpTask, SmallRecords, Warn } from "../source.ts";
import { currentError } from "./codes.ts";
import { type IndexName, indexIn } from "./indexes.ts";
import { countOf, textOf } from "./plain-values.ts";
import { currentSettings } from "./settings.ts";
import { oldRecords } from "./small-records.ts";
import { deletionKind, importKind, lineOf, type OldTask, settingsKind } from "./task-line.ts";
import { INDEX_LIST, QUEUE } from "./updates.ts";

/** The one action that is no more. */
const GONE_ACTION = "dumps.get";

export class TaskDump implements DumpSource {
  readonly serverVersion: Json;
  readonly #folder: DumpFolder;
  readonly #date: Json;
  readonly #warn: Warn;

  constructor(folder: DumpFolder, metadata: JsonObject, warn: Warn) {
    this.#folder = folder;
    this.#date = metadata["dumpDate"] ?? null;
    this.#warn = warn;
    this.serverVersion = metadata["dbVersion"] ?? null;
  }

  async smallRecords(): Promise<SmallRecords> {
    const keys = (await this.#folder.allLines("keys")).map((key) => this.#key(key));
    return oldRecords(await this.#folder.text("instance-uid"), keys);
  }

  async *tasks(): AsyncGenerator<DumpTask> {
    for await (const line of this.#folder.lines(QUEUE)) {
      const task = this.#task(line);
      if (task === null) {
        this.#warn("tasks of the dump that cannot be understood were left out");
        continue;
      }
      const { content_uuid: content } = contentOf(line).fields;
      const path = typeof content === "string" ? this.#folder.pathOf(`updates/updates_files/${content}`) : null;
      yield { line: lineOf(task), payload: path === null ? null : { path, format: "ndjson" } };
    }
  }

  async *batches(): AsyncGenerator<JsonObject> {}

  async *indexes(): AsyncGenerator<DumpIndex> {
    for (const { uuid, ...name } of await this.#listed()) {
      yield indexIn(this.#folder, `indexes/${uuid}`, name, this.#warn);
    }
  }

  /** Only the queue, which begins with the newest task, tells when an index was made and changed. */
  async #listed(): Promise<(IndexName & { uuid: string })[]> {
    const listed = new Map<string, IndexName & { uuid: string; madeBy: Json }>();
    for await (const { uid, index_meta: meta } of this.#folder.lines(INDEX_LIST)) {
      const { uuid, creation_task_id: madeBy = null } = isObject(meta) ? meta : {};
      listed.set(textOf(uid), { uid: textOf(uid), uuid: textOf(uuid), madeBy, created: null, updated: null });
    }
    for await (const line of this.#folder.lines(QUEUE)) {
      const index = listed.get(contentOf(line).indexUid ?? "");
      if (index === undefined || index.created !== null) continue;
      const { enqueued, success } = eventsOf(line);
      index.updated ??= success === null ? null : (success["timestamp"] ?? null);
      if (line["id"] === index.madeBy) index.created = enqueued;
    }
    return [...listed.values()].map(({ uid, uuid, created, updated }) => ({ uid, uuid, created, updated }));
  }

  /** V4 knew keys by a few letters, from which their value came: they are other keys now. */
  #key(key: JsonObject): JsonObject {
    const { actions } = key;
    if (typeof key["uid"] !== "string")
      this.#warn("a key of the dump has an id of the old kind: its value is a new one");
    return {
      ...key,
      uid: key["uid"] ?? randomUUID(),
      actions: Array.isArray(actions) ? actions.filter((action) => action !== GONE_ACTION) : [],
    };
  }

  #task(line: JsonObject): OldTask | null {
    const { name, given, fields, indexUid } = contentOf(line);
    const kind = this.#kind(name, given, fields);
    if (kind === null || typeof line["id"] !== "number") return null;
    const { enqueued, started, failure, ...events } = eventsOf(line);
    // A dump that was being made is the one at hand: whoever loads it must not make another.
    const success = events.success ?? (name === "Dump" && started !== null ? { timestamp: this.#date } : null);
    const result = isObject(success?.["result"]) ? Object.values(success["result"])[0] : null;
    const count = isObject(result) ? (result["indexed_documents"] ?? result["deleted_documents"]) : null;
    const error = isObject(failure?.["error"]) ? failure["error"] : {};
    return {
      uid: line["id"],
      indexUid,
      kind,
      status: failure !== null ? "failed" : success !== null ? "succeeded" : "enqueued",
      documents: typeof count === "number" ? count : null,
      error: failure === null ? null : currentError(error["message"], error["code"]),
      enqueuedAt: enqueued,
      startedAt: started,
      finishedAt: (failure ?? success)?.["timestamp"] ?? null,
    };
  }

  #kind(name: string, given: Json, fields: JsonObject): OldTask["kind"] | null {
    const { primary_key: primaryKey = null } = fields;
    switch (name) {
      case "DocumentAddition": {
        const kind = importKind(fields["merge_strategy"], primaryKey, countOf(fields["documents_count"]));
        (kind["documentImport"] as JsonObject)["allow_index_creation"] = fields["allow_index_creation"] !== false;
        return kind;
      }
      case "DocumentDeletion": {
        // V5 has the deletion in a field, V4 in its place.
        const deletion = fields["deletion"] ?? given;
        return deletion === "Clear" ? "documentClear" : deletionKind(isObject(deletion) ? deletion["Ids"] : []);
      }
      case "SettingsUpdate": {
        const settings = isObject(fields["settings"]) ? currentSettings(fields["settings"], this.#warn) : {};
        return settingsKind(settings, fields["is_deletion"] === true, fields["allow_index_creation"] !== false);
      }
      case "IndexDeletion":
        return "indexDeletion";
      case "IndexCreation":
        return { indexCreation: { primary_key: primaryKey } };
      case "IndexUpdate":
        return { indexUpdate: { primary_key: primaryKey, uid: null } };
      case "Dump":
        return { dumpCreation: { dump_uid: fields["uid"] ?? null } };
      default:
        return null;
    }
  }
}

interface Content {
  name: string;
  given: Json;
  fields: JsonObject;
  indexUid: string | null;
}

/** V5 has the index within the content, V4 beside it. */
function contentOf(line: JsonObject): Content {
  const { content } = line;
  const [name, given] = isObject(content) ? (Object.entries(content)[0] ?? ["", null]) : [textOf(content), null];
  const fields = isObject(given) ? given : {};
  const indexUid = fields["index_uid"] ?? line["index_uid"];
  return { name, given, fields, indexUid: typeof indexUid === "string" ? indexUid : null };
}

interface Events {
  enqueued: Json;
  started: Json;
  success: JsonObject | null;
  failure: JsonObject | null;
}

/** The name of success had a letter less in V4. */
function eventsOf(line: JsonObject): Events {
  const events: Events = { enqueued: null, started: null, success: null, failure: null };
  for (const event of Array.isArray(line["events"]) ? line["events"] : []) {
    const [name, value] = isObject(event) ? (Object.entries(event)[0] ?? [""]) : [""];
    if (name === "Created") events.enqueued ??= value ?? null;
    else if (name === "Processing") events.started ??= value ?? null;
    else if (name === "Succeeded" || name === "Succeded") events.success = isObject(value) ? value : {};
    else if (name === "Failed") events.failure = isObject(value) ? value : {};
  }
  return events;
}
