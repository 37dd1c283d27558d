/**
 * Dumps of version 1: the description lists the indexes, each of which has a folder of its own with its queue.
 *
 *   metadata.json  <uid>/settings.json  <uid>/documents.jsonl  <uid>/updates.jsonl
 */
import { isObject, type Json, type JsonObject } from "../../../base/json/value.ts";
import { readInstant } from "../../../base/time/dates.ts";

import { formatTime } from "../../../base/time/time.ts";
import type { DumpFolder } from "../files.ts";
import type { DumpIndex, DumpSource, DumpTask, SmallRecords, Warn } from "../source.ts";
import { currentError } from "./codes.ts";
import { countOf, textOf } from "./plain-values.ts";
import { settingsChangeOfV1, settingsOfV1 } from "./settings.ts";
import { oldRecords } from "./small-records.ts";
import { deletionKind, importKind, lineOf, type OldTask, settingsKind } from "./task-line.ts";

const MICROS = 1e6;

export class IndexListDump implements DumpSource {
  readonly serverVersion: Json;
  readonly #folder: DumpFolder;
  readonly #indexes: JsonObject[];
  readonly #warn: Warn;

  constructor(folder: DumpFolder, metadata: JsonObject, warn: Warn) {
    const { indexes } = metadata;
    this.#folder = folder;
    this.#indexes = (Array.isArray(indexes) ? indexes : []).filter(isObject);
    this.#warn = warn;
    this.serverVersion = metadata["dbVersion"] ?? null;
  }

  async smallRecords(): Promise<SmallRecords> {
    return oldRecords(null, []);
  }

  /** Every index counted its updates for itself: they are numbered anew. */
  async *tasks(): AsyncGenerator<DumpTask> {
    let uid = 0;
    for (const index of this.#indexes) {
      const indexUid = textOf(index["uid"]);
      for await (const line of this.#folder.lines(`${indexUid}/updates.jsonl`)) {
        const task = this.#task(line, uid, indexUid);
        if (task === null) continue;
        uid++;
        yield { line: lineOf(task), payload: null };
      }
    }
  }

  async *batches(): AsyncGenerator<JsonObject> {}

  async *indexes(): AsyncGenerator<DumpIndex> {
    for (const index of this.#indexes) {
      const uid = textOf(index["uid"]);
      yield {
        uid,
        primaryKey: index["primaryKey"] ?? null,
        createdAt: index["createdAt"] ?? null,
        updatedAt: index["updatedAt"] ?? null,
        settings: settingsOfV1(await this.#folder.object(`${uid}/settings.json`), this.#warn),
        documents: this.#folder.pathOf(`${uid}/documents.jsonl`),
        fieldOrder: null,
        embedderDimensions: null,
      };
    }
  }

  /** Null for what cannot be taken over. */
  #task(line: JsonObject, uid: number, indexUid: string): OldTask | null {
    const { status, type, processedAt, duration } = line;
    const kind = isObject(type) ? this.#kind(type) : null;
    if (status === "enqueued") {
      this.#warn(`a task of index \`${indexUid}\` had not run: dumps of version 1 do not hold its documents`);
      return null;
    }
    if (kind === null || !isObject(type)) return null;
    const finished = typeof processedAt === "string" ? readInstant(processedAt) : null;
    const took =
      typeof duration === "number" && duration > 0 ? Math.min(duration * MICROS, Math.max(finished ?? 0, 0)) : 0;
    const isFailed = status === "failed";
    return {
      uid,
      indexUid,
      kind,
      status: isFailed ? "failed" : "succeeded",
      documents: typeof type["number"] === "number" ? type["number"] : null,
      error: isFailed ? currentError(line["error"], line["errorCode"]) : null,
      enqueuedAt: line["enqueuedAt"] ?? null,
      startedAt: finished === null ? null : formatTime(finished - Math.round(took)),
      finishedAt: processedAt ?? null,
    };
  }

  #kind(type: JsonObject): OldTask["kind"] | null {
    switch (type["name"]) {
      case "ClearAll":
        return "documentClear";
      case "DocumentsAddition":
        return importKind("ReplaceDocuments", null, countOf(type["number"]));
      case "DocumentsPartial":
        return importKind("UpdateDocuments", null, countOf(type["number"]));
      case "DocumentsDeletion":
        return deletionKind([]);
      case "Settings":
        return settingsKind(settingsChangeOfV1(type["settings"], this.#warn));
      default:
        this.#warn(`tasks of the type ${JSON.stringify(type["name"] ?? null)} are no more: one was left out`);
        return null;
    }
  }
}
