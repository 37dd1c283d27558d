/**
 * The durable memory of the server: one LMDB environment under `<db>/store/`, opened by the front, which alone writes to
 * it, and by the writer thread of the same process. Never interprets what it keeps.
 *
 *   store.write(() => { store.tasks.put(7, task); store.pending.put(7, true); })   one atomic transaction
 *
 * The promise of `write` resolves when it is on disk. When it rejects nothing of it is there, and nothing in memory has
 * changed; reads go on whatever happens to writes.
 */

import { dirname, join } from "node:path";
import type { MessagePort } from "node:worker_threads";
import type { BatchRecord, TaskRecord } from "../../base/contract/task.ts";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import type { Json, JsonObject } from "../../base/json/value.ts";
import type { Micros } from "../../base/time/time.ts";
import type { Journal } from "../journal/journal.ts";
import { batchCodec } from "./batch-record.ts";
import { bytesCodec, jsonCodec, markCodec } from "./codecs.ts";
import { type Change, Environment } from "./environment.ts";
import { fencedFault, StoreFault, StoreOpening, unreadableFault, whenOpen } from "./fault.ts";
import { checkStoreFile } from "./file/check.ts";
import { GroupCommits } from "./group-commits.ts";
import type { Mark } from "./journal-run.ts";
import { DATA_FILE } from "./metas.ts";
import { RemoteCommits, serveCommits } from "./remote-commits.ts";
import { type AddOptions, SharedCommits } from "./shared-commits.ts";
import type { SharedHost } from "./shared-host.ts";
import { type Codec, Table, type TableSource } from "./table.ts";
import type { TableName } from "./tables.ts";
import { decodeTaskHead, type TaskHead, taskCodecOver } from "./task-record.ts";
import { NOTHING_BEFORE } from "./transaction.ts";
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

interface StoreOptions {
  /** Whether its file was looked at already, which takes the longer the more there is. */
  isChecked?: boolean;
  /** Start of the memory map in bytes; it grows by itself. */
  mapBytes?: number;
  /** A commit may or may not be on disk, or nothing can be read any more: everybody has to close the store, and then it has to be opened anew. */
  onBroken?: (fault: StoreFault) => void;
  /** What is on disk counts from now on, whatever was believed before; told before anything else is committed. */
  onReopened?: () => void;
  /** Whether no other server may have it by now; asked before it is opened anew, which would take from that one what it reads by. */
  isOwn?: () => boolean;
  /** Another server writes to the store. */
  onFenced?: (fault: StoreFault) => void;
  /** Of a server that shares its state with others: everything is written there first. */
  shared?: { journal: Journal; host: SharedHost };
}

export interface Store {
  readonly path: string;
  readonly tasks: Table<number, TaskRecord>;
  /** Tasks as lists need them: contents and texts are not read. */
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
  /** Pieces of texts that are no part of their records (`texts.ts`). */
  readonly texts: Table<string, Uint8Array>;
  write(action: () => void): Promise<void>;
  /** Up to where the journal has been followed; null without one. */
  mark(): Mark | null;
  /** Forgets this thread's read snapshot: call it when a message says that the other thread has committed. */
  refresh(): void;
  /** Bytes in use by live records. */
  sizeBytes(): number;
  /** Writes one consistent state to an empty folder, as a store that can be opened; others go on writing meanwhile. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

/** The store of the thread that writes. */
export interface OwnStore extends Store {
  /** Follows the journal, once it is started; null without one. */
  readonly shared: SharedCommits | null;
  /** As `write`, but `action` is called when its turn has come: every commit before it has succeeded or failed by then. */
  writeInTurn(action: () => void): Promise<void>;
  /** Makes the commits of another thread, instead of those of the one before it, unless `refusal` says why not. */
  serve(port: MessagePort, refusal?: () => StoreFault | null): void;
  /** From now on it belongs to a server on its own. */
  leaveJournal(): void;
  /** Opens it anew when it is broken. No other thread may have it open. */
  reopen(): Promise<void>;
}

/** The store of a thread whose commits another one makes. */
export interface RemoteStore extends Store {
  /** Resolves when no commit is under way that was asked for before, by whomever. */
  settled(): Promise<void>;
}

export function openStore(path: string, options: StoreOptions = {}): OwnStore {
  const { mapBytes } = options;
  const environmentOptions = mapBytes === undefined ? {} : { mapBytes };
  if (options.isChecked !== true) checkStoreFile(join(path, DATA_FILE));
  let environment = new Environment(path, environmentOptions);
  syncDirectory(path);
  syncDirectory(dirname(path));
  let fenced: StoreFault | null = null;
  let opening: { fault: StoreOpening; done(): void } | null = null;
  let stopServing = (): void => {};
  const mustReopen = (fault: StoreFault): StoreFault => {
    if (opening !== null) return opening.fault;
    opening = openingAfter(fault.code);
    options.onBroken?.(fault);
    return opening.fault;
  };
  const fence = (fault: StoreFault): void => {
    fenced = fault;
    options.onFenced?.(fault);
  };
  const commitNow = async (changes: readonly Change[], mark: Mark | null = null): Promise<void> => {
    if (fenced !== null || opening !== null) throw fenced ?? opening!.fault;
    try {
      await environment.commit(changes, mark);
    } catch (problem) {
      if (problem instanceof StoreFault && problem.kind === "fenced") {
        fence(problem);
      } else if (problem instanceof StoreFault && problem.kind === "unknown") {
        mustReopen(problem);
      }
      throw problem;
    }
  };
  const session = new WriteSession();
  const source = {
    environment() {
      if (opening !== null) throw opening.fault;
      return environment;
    },
    failure(problem: unknown) {
      if (opening === null && environment.takesReaders()) return problem;
      // A commit under way has failed and will tell in a moment, or another server has made the lock file anew, and nobody will.
      return mustReopen(unreadableFault(problem));
    },
  };
  const shared = sharedCommits(options.shared, { mark: () => source.environment().mark(), commit: commitNow });
  const commits = shared ?? new GroupCommits(commitNow);
  const add = (changes: () => readonly Change[], how: AddOptions): Promise<void> =>
    shared === null ? commits.add(changes) : shared.add(changes, how);
  const tables = tablesOver(source, session, (changes) => add(() => changes, { isDecided: true }));
  return {
    ...tables,
    path,
    shared,
    writeInTurn: (action) => commits.add(() => session.gather(action)),
    serve(port, refusal = () => null) {
      stopServing();
      stopServing = serveCommits(port, (changes) => add(() => changes, { isDecided: true, isPatient: true, refusal }));
    },
    leaveJournal: () => source.environment().forgetMark(),
    async reopen() {
      if (opening === null) return;
      stopServing();
      await commits.idle();
      environment.mustBeInPlace();
      if (options.isOwn?.() === false) {
        fence(fencedFault(path));
        return;
      }
      await environment.close();
      const before = environment;
      environment = new Environment(path, environmentOptions);
      try {
        environment.resume(before);
      } catch (problem) {
        fence(problem as StoreFault);
        return;
      }
      const { done } = opening;
      opening = null;
      options.onReopened?.();
      done();
    },
    async close() {
      stopServing();
      await shared?.stop();
      await commits.idle();
      await environment.close();
    },
  };
}

function sharedCommits(
  shared: StoreOptions["shared"],
  tables: { mark(): Mark | null; commit(changes: readonly Change[], mark: Mark): Promise<void> },
): SharedCommits | null {
  if (shared === undefined) return null;
  const mark = (): Mark => tables.mark() ?? { number: 0, hash: NOTHING_BEFORE };
  return new SharedCommits(shared.journal, { mark, commit: tables.commit }, shared.host);
}

function openingAfter(code: string): { fault: StoreOpening; done(): void } {
  let done = (): void => {};
  const opened = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { fault: new StoreOpening(code, opened), done };
}

/** For another thread of the process that has the store open; commits go through the port, which that thread serves. */
export function openRemoteStore(path: string, port: MessagePort): RemoteStore {
  const environment = new Environment(path, { readOnly: true });
  const commits = new RemoteCommits(port, () => environment.refresh());
  return {
    ...tablesOver({ environment: () => environment, failure: (problem) => problem }, new WriteSession(), (changes) =>
      commits.add(changes),
    ),
    path,
    settled: () => commits.add([]),
    async close() {
      commits.close();
      await environment.close();
    },
  };
}

function tablesOver(
  source: Omit<TableSource, "environment"> & { environment(): Environment },
  session: WriteSession,
  commit: (changes: readonly Change[]) => Promise<void>,
): Omit<Store, "path" | "close"> {
  const table = <K extends number | string, V>(name: TableName, codec: Codec<V>) =>
    new Table<K, V>(name, source, session, codec);
  const texts = table<string, Uint8Array>("texts", bytesCodec);
  const tables = {
    tasks: table<number, TaskRecord>("tasks", taskCodecOver(texts)),
    pending: table<number, true>("pending", markCodec),
    batches: table<number, BatchRecord>("batches", batchCodec),
    payloads: table<string, Uint8Array>("payloads", bytesCodec),
    keys: table<string, KeyRecord>("keys", jsonCodec()),
    manifests: table<number, Uint8Array>("manifests", bytesCodec),
    catalog: table<string, CatalogEntry>("catalog", jsonCodec()),
    features: table<string, Json>("features", jsonCodec()),
    webhooks: table<string, WebhookRecord>("webhooks", jsonCodec()),
    network: table<string, Json>("network", jsonCodec()),
    rules: table<string, JsonObject>("rules", jsonCodec()),
    chats: table<string, JsonObject>("chats", jsonCodec()),
    meta: table<string, Json>("meta", jsonCodec()),
    texts,
  };
  let usedBytes = 0;
  return {
    ...tables,
    taskHeads: table<number, TaskHead>("tasks", headCodec),
    async write(action) {
      const changes = session.gather(action);
      if (changes.length > 0) await commit(changes);
    },
    mark: () => source.environment().mark(),
    refresh() {
      whenOpen(() => source.environment().refresh());
    },
    sizeBytes() {
      whenOpen(() => {
        const { pageBytes } = source.environment();
        usedBytes = pageBytes * Object.values(tables).reduce((sum, each) => sum + each.pagesUsed(), 0);
      });
      return usedBytes;
    },
    backup: (folder) => source.environment().backup(folder),
  };
}

/** Heads are a reading of whole records; writing one would lose the content. */
const headCodec: Codec<TaskHead> = {
  encode() {
    throw new Error("Task heads are read only.");
  },
  decode: (bytes, key) => decodeTaskHead(bytes, key as number),
};
