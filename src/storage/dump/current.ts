/** A dump of the current version, of this server or of another one of the same interface. */

import path from "node:path";
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";

import type { DumpFolder } from "./files.ts";
import { CHAT_FOLDER, DUMP_FILES, INDEX_FOLDER, indexFile, payloadFile } from "./layout.ts";
import type { DumpIndex, DumpSource, DumpTask, SmallRecords } from "./source.ts";

export class CurrentDump implements DumpSource {
  readonly serverVersion: Json;
  readonly #folder: DumpFolder;

  constructor(folder: DumpFolder, metadata: JsonObject) {
    this.#folder = folder;
    this.serverVersion = metadata["dbVersion"] ?? null;
  }

  async smallRecords(): Promise<SmallRecords> {
    const folder = this.#folder;
    const { webhooks } = await folder.object(DUMP_FILES.webhooks);
    const chats = new Map<string, JsonObject>();
    for (const name of folder.namesIn(CHAT_FOLDER)) {
      if (name.endsWith(".json")) chats.set(path.basename(name, ".json"), await folder.object(name));
    }
    return {
      instanceUid: await folder.text(DUMP_FILES.instanceUid),
      keys: await folder.allLines(DUMP_FILES.keys),
      features: await folder.object(DUMP_FILES.features),
      network: await folder.object(DUMP_FILES.network),
      webhooks: isObject(webhooks) ? webhooks : {},
      rules: await folder.allLines(DUMP_FILES.rules),
      chats,
    };
  }

  async *tasks(): AsyncGenerator<DumpTask> {
    for await (const line of this.#folder.lines(DUMP_FILES.tasks)) {
      const file = this.#folder.pathOf(payloadFile(line["uid"] as number));
      yield { line, payload: file === null ? null : { path: file, format: "ndjson" } };
    }
  }

  batches(): AsyncIterable<JsonObject> {
    return this.#folder.lines(DUMP_FILES.batches);
  }

  async *indexes(): AsyncGenerator<DumpIndex> {
    for (const name of this.#folder.namesIn(INDEX_FOLDER)) {
      const [uid, part] = name.slice(INDEX_FOLDER.length).split("/");
      if (uid === undefined || part !== "metadata.json") continue;
      const metadata = await this.#folder.object(name);
      const settings = await this.#folder.object(indexFile(uid, "settings.json"));
      yield {
        uid,
        primaryKey: metadata["primaryKey"] ?? null,
        createdAt: metadata["createdAt"] ?? null,
        updatedAt: metadata["updatedAt"] ?? null,
        settings,
        documents: this.#folder.pathOf(indexFile(uid, "documents.jsonl")),
        fieldOrder: metadata["fieldOrder"] ?? null,
        embedderDimensions: metadata["embedderDimensions"] ?? settings["embedderDimensions"] ?? null,
      };
    }
  }
}
