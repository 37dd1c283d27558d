/**
 * What is in a dump, whatever version wrote it: everything in the words of the current version, so that who loads it knows
 * that one alone. Shapes only.
 */
import type { Json, JsonObject } from "../../base/json/value.ts";
import type { PayloadFormat } from "../../base/payload/prepare.ts";

export interface DumpTask {
  /** As the queue of the current version holds it. */
  line: JsonObject;
  /** Documents of a task that has not run; null when it needs none, or the dump does not have them. */
  payload: { path: string; format: PayloadFormat } | null;
}

export interface DumpIndex {
  uid: string;
  primaryKey: Json;
  createdAt: Json;
  updatedAt: Json;
  settings: JsonObject;
  /** File with one document a line. */
  documents: string | null;
  /** Known of dumps of this server only: the order of the fields, and the sizes of vectors. */
  fieldOrder: Json;
  embedderDimensions: Json;
}

/** Records of which a dump has few. */
export interface SmallRecords {
  instanceUid: string | null;
  keys: JsonObject[];
  features: JsonObject;
  network: JsonObject;
  webhooks: JsonObject;
  rules: JsonObject[];
  chats: Map<string, JsonObject>;
}

export interface DumpSource {
  /** The server that wrote the dump, as it calls itself. */
  readonly serverVersion: Json;
  smallRecords(): Promise<SmallRecords>;
  /** In any order. */
  tasks(): AsyncIterable<DumpTask>;
  batches(): AsyncIterable<JsonObject>;
  indexes(): AsyncIterable<DumpIndex>;
}

/** Told to the operator: something of the dump is not taken over as it is. */
export type Warn = (message: string) => void;
