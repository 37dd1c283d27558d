/**
 * The durable memory of the server: one LMDB environment under `<db>/store/`, opened by the front and by the writer
 * thread of the same process at once. Never interprets what it keeps.
 *
 *   store.write(() => { store.tasks.put(7, task); store.pending.put(7, true); })   one atomic transaction
 *
 * The promise of `write` resolves after the data pages were fdatasync'ed and the meta page written through O_DSYNC
 * (LMDB's classic commit: `overlappingSync` is off, because with it promises resolve before the flush). Writes of one
 * turn, and those that arrive while a commit is under way, share the next commit and its two syncs; waiting for the
 * other thread's commit happens on a pool thread, never on the event loop.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { open } from "lmdb";
import { syncDirectory } from "../sync-directory.ts";
import type { BatchRecord, Json, JsonObject, Micros, TaskRecord } from "../tasks/task.ts";
import { bytesCodec, checkedBytesCodec, jsonCodec, markCodec } from "./codecs.ts";
import { type Codec, Table } from "./table.ts";
import { decodeTaskHead, type TaskHead, taskCodec } from "./task-record.ts";
import { WriteSession } from "./write-session.ts";

export interface CatalogEntry {
  /** Never reused, unlike the uid, which a rename or a swap may move. */
  id: number;
  createdAt: Micros;
  updatedAt: Micros;
}

export interface KeyRecord {
  uid: string;
  name: string | null;
  description: string | null;
  actions: string[];
  indexes: string[];
  expiresAt: Micros | null;
  createdAt: Micros;
  updatedAt: Micros;
}

export interface WebhookRecord {
  url: string;
  headers: Record<string, string>;
}

export interface StoreOptions {
  /** Start of the memory map in bytes; it grows by itself. */
  mapBytes?: number;
}

export interface Store {
  readonly path: string;
  readonly tasks: Table<number, TaskRecord>;
  /** Tasks as lists need them, content left unparsed. */
  readonly taskHeads: Table<number, TaskHead>;
  /** Uids of tasks that are not finished. */
  readonly pending: Table<number, true>;
  readonly batches: Table<number, BatchRecord>;
  readonly payloads: Table<string, Uint8Array>;
  readonly keys: Table<string, KeyRecord>;
  /** By index id; bytes come back exactly as stored or the read throws. */
  readonly manifests: Table<number, Uint8Array>;
  /** By index uid. */
  readonly catalog: Table<string, CatalogEntry>;
  readonly features: Table<string, Json>;
  readonly webhooks: Table<string, WebhookRecord>;
  readonly network: Table<string, Json>;
  readonly rules: Table<string, JsonObject>;
  readonly chats: Table<string, JsonObject>;
  /** `version`, `instanceUid`, `nextIndexId` and other single values. */
  readonly meta: Table<string, Json>;
  write(action: () => void): Promise<void>;
  /** Forgets this thread's read snapshot: call it when a message says that the other thread has committed. */
  refresh(): void;
  /** Bytes in use by live records. */
  sizeBytes(): number;
  /** Writes one consistent state to an empty folder, as a store that can be opened; others go on writing meanwhile. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

const TABLES_MAX = 24;

export function openStore(path: string, options: StoreOptions = {}): Store {
  const root = open<Uint8Array, number | string>({
    path,
    noSubdir: false,
    maxDbs: TABLES_MAX,
    overlappingSync: false,
    encoding: "binary",
    ...(options.mapBytes === undefined ? {} : { mapSize: options.mapBytes }),
  });
  syncDirectory(path);
  syncDirectory(dirname(path));
  const session = new WriteSession();
  const tables: Table<never, never>[] = [];

  const database = (name: string, keys: "uint32" | "ordered-binary") =>
    root.openDB<Uint8Array, number | string>({ name, encoding: "binary", keyEncoding: keys });
  const numbered = <V>(name: string, codec: Codec<V>) => {
    const table = new Table<number, V>(name, database(name, "uint32"), session, codec);
    tables.push(table as unknown as Table<never, never>);
    return table;
  };
  const named = <V>(name: string, codec: Codec<V>) => {
    const table = new Table<string, V>(name, database(name, "ordered-binary"), session, codec);
    tables.push(table as unknown as Table<never, never>);
    return table;
  };

  const tasksDatabase = database("tasks", "uint32");
  const tasks = new Table<number, TaskRecord>("tasks", tasksDatabase, session, taskCodec);
  tables.push(tasks as unknown as Table<never, never>);

  return {
    path,
    tasks,
    taskHeads: new Table<number, TaskHead>("tasks", tasksDatabase, session, headCodec),
    pending: numbered("pending", markCodec),
    batches: numbered("batches", jsonCodec<BatchRecord>()),
    payloads: named("payloads", bytesCodec),
    keys: named("keys", jsonCodec<KeyRecord>()),
    manifests: numbered("manifests", checkedBytesCodec),
    catalog: named("catalog", jsonCodec<CatalogEntry>()),
    features: named("features", jsonCodec<Json>()),
    webhooks: named("webhooks", jsonCodec<WebhookRecord>()),
    network: named("network", jsonCodec<Json>()),
    rules: named("rules", jsonCodec<JsonObject>()),
    chats: named("chats", jsonCodec<JsonObject>()),
    meta: named("meta", jsonCodec<Json>()),

    async write(action) {
      session.gather(action);
      if (session.isEmpty) return;
      try {
        await root.batch(() => session.issue());
      } catch (error) {
        throw await causeOf(error);
      }
    },
    refresh() {
      root.resetReadTxn();
    },
    sizeBytes() {
      const { pageSize } = root.getStats() as { pageSize: number };
      let pages = 0;
      for (const table of tables) pages += table.pagesUsed();
      return pages * pageSize;
    },
    async backup(folder) {
      mkdirSync(folder, { recursive: true });
      await root.backup(folder, true);
    },
    async close() {
      await root.close();
    },
  };
}

/** Heads are a reading of whole records; writing one would lose the content. */
const headCodec: Codec<TaskHead> = {
  encode() {
    throw new Error("Task heads are read only.");
  },
  decode: (bytes, key) => decodeTaskHead(bytes, key as number),
};

/** The binding rejects with a generic error that carries a promise of the real one. */
async function causeOf(error: unknown): Promise<unknown> {
  const pending = (error as { commitError?: Promise<never> }).commitError;
  if (pending === undefined) return error;
  try {
    await pending;
    return error;
  } catch (cause) {
    return new Error(`The store could not commit: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
