/**
 * Checkpoints: copies of the store among the shared files, each as of one record of the journal. Whoever joins begins with the
 * last one; the journal forgets what comes before the last two. Of older ones some are kept, ever fewer, as backups.
 *
 *   checkpoints/000000000042/store         the store after record 42
 *   checkpoints/000000000042/files.json    the shared files that it names; put last, so one that has it is whole
 */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import type { Blobs } from "../../storage/blobs/blobs.ts";
import { blobNames } from "../../storage/blobs/open.ts";
import { checkStoreFile } from "../../storage/store/file/check.ts";
import { DATA_FILE } from "../../storage/store/metas.ts";
import { openStore, type Store } from "../../storage/store/store.ts";
import { payloadFilesIn, segmentFilesIn } from "./named-files.ts";

/** So many are needed by servers that join. */
const NEEDED = 2;
const HOUR_MS = 3_600_000;
/** Of older ones: the first of each hour for a day, and the first of each day for two weeks. */
const OLDER = [
  { untilMs: 24 * HOUR_MS, everyMs: HOUR_MS },
  { untilMs: 14 * 24 * HOUR_MS, everyMs: 24 * HOUR_MS },
];
const WHOLE = /^checkpoints\/(\d+)\/files\.json$/;
const FOLDER = "checkpoints/";
/** What is put may be named a while later. */
const UNNAMED_MS_MAX = HOUR_MS;

export interface Checkpoint {
  number: number;
  putAtMs: number;
}

export class Checkpoints {
  readonly #blobs: Blobs;
  /** For files on their way. */
  readonly #folder: string;

  /** Rejects unless the file of a store is whole. */
  readonly #check: (file: string) => Promise<unknown>;

  constructor(
    blobs: Blobs,
    databasePath: string,
    check = async (file: string): Promise<unknown> => checkStoreFile(file),
  ) {
    this.#blobs = blobs;
    this.#check = check;
    this.#folder = path.join(databasePath, "checkpoint");
  }

  /** Those that are whole, the last one first. */
  async list(): Promise<Checkpoint[]> {
    const found: Checkpoint[] = [];
    for (const { name, putAtMs } of await this.#blobs.list(FOLDER)) {
      const [, number] = WHOLE.exec(name) ?? [];
      if (number !== undefined) found.push({ number: Number(number), putAtMs });
    }
    return found.sort((a, b) => b.number - a.number);
  }

  /** Puts a store as of a checkpoint in the place of the one that is there, if any. */
  async fetch({ number }: Checkpoint, storePath: string): Promise<void> {
    const fresh = `${storePath}.joining`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    await this.#blobs.get(`${blobNames.checkpoint(number)}/store`, path.join(fresh, DATA_FILE), { isOwn: true });
    this.place(fresh, storePath);
  }

  /** Puts a store that is whole in its place. */
  place(fresh: string, storePath: string): void {
    rmSync(storePath, { recursive: true, force: true });
    renameSync(fresh, storePath);
    syncDirectory(path.dirname(storePath));
  }

  /** Returns the number of the record that it stands at. */
  async make(store: Pick<Store, "backup">): Promise<number> {
    const copyPath = path.join(this.#folder, "store");
    await rm(this.#folder, { recursive: true, force: true });
    await store.backup(copyPath);
    await this.#check(path.join(copyPath, DATA_FILE));
    const copy = openStore(copyPath, { isChecked: true });
    let number: number;
    let names: string[];
    try {
      number = copy.mark()?.number ?? 0;
      names = namesIn(copy);
    } finally {
      await copy.close();
    }
    const list = path.join(this.#folder, "files.json");
    await writeFile(list, JSON.stringify(names), { flush: true });
    await this.#blobs.put(`${blobNames.checkpoint(number)}/store`, path.join(copyPath, DATA_FILE));
    await this.#blobs.put(`${blobNames.checkpoint(number)}/files.json`, list);
    await rm(this.#folder, { recursive: true, force: true });
    return number;
  }

  /** The first record that is still needed; null while there are too few checkpoints to forget anything. */
  neededFrom(checkpoints: readonly Checkpoint[]): number | null {
    const oldest = checkpoints[NEEDED - 1];
    return oldest === undefined ? null : oldest.number + 1;
  }

  /**
   * Removes older checkpoints, and files that neither the kept ones nor the store name. The journal must have forgotten
   * what comes before the kept ones: only then does nobody come by a record that names them.
   */
  async collect(checkpoints: readonly Checkpoint[], store: Store): Promise<number> {
    const oldest = checkpoints[NEEDED - 1];
    if (oldest === undefined) return 0;
    const kept = keptOf(checkpoints);
    const named = new Set(namesIn(store));
    for (const checkpoint of kept) for (const name of await this.#filesOf(checkpoint)) named.add(name);
    const keptFolders = kept.map(({ number }) => `${blobNames.checkpoint(number)}/`);
    const before = oldest.putAtMs - UNNAMED_MS_MAX;
    let removed = 0;
    for (const { name, putAtMs } of await this.#blobs.list("")) {
      const isOld = name.startsWith(FOLDER) ? isBefore(name, oldest) : putAtMs < before;
      if (!isOld || named.has(name) || keptFolders.some((folder) => name.startsWith(folder))) continue;
      await this.#blobs.remove(name);
      removed++;
    }
    return removed;
  }

  async #filesOf({ number }: Checkpoint): Promise<string[]> {
    const file = path.join(this.#folder, "list.json");
    await this.#blobs.get(`${blobNames.checkpoint(number)}/files.json`, file, { isOwn: true });
    const names = JSON.parse(await readFile(file, "utf8")) as string[];
    await rm(file, { force: true });
    return names;
  }
}

/** Of these, the last one first, those that are kept: the needed ones, and older ones ever further apart. */
export function keptOf(checkpoints: readonly Checkpoint[]): Checkpoint[] {
  const newest = checkpoints[0]?.putAtMs ?? 0;
  return checkpoints.filter((checkpoint, i) => {
    if (i < NEEDED) return true;
    const { putAtMs } = checkpoint;
    const rule = OLDER.find(({ untilMs }) => newest - putAtMs < untilMs);
    if (rule === undefined) return false;
    // The first of a span stays the first of it, so what is kept today is not dropped for another one tomorrow.
    const span = (one: Checkpoint): number => Math.floor(one.putAtMs / rule.everyMs);
    const earlier = checkpoints[i + 1];
    return earlier === undefined || span(earlier) < span(checkpoint);
  });
}

function isBefore(name: string, { number }: Checkpoint): boolean {
  const own = Number(name.split("/")[1]);
  return Number.isSafeInteger(own) && own < number;
}

/** The shared files that a store names. */
export function namesIn(store: Pick<Store, "catalog" | "manifests" | "tasks" | "pending">): string[] {
  const segments = [...segmentFilesIn(store)].flatMap(({ id, files }) =>
    files.map(({ file }) => blobNames.segment(id, file)),
  );
  return [...segments, ...Array.from(payloadFilesIn(store), blobNames.payload)];
}

/** Up to which record a store that is not open has followed its journal; null for none, or for no store. */
export async function markOf(storePath: string): Promise<number | null> {
  if (!existsSync(path.join(storePath, DATA_FILE))) return null;
  const store = openStore(storePath);
  try {
    return store.mark()?.number ?? null;
  } finally {
    await store.close();
  }
}
