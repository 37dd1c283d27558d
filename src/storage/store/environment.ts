/**
 * One open LMDB environment: its tables, and commits, one at a time. The promise of a commit resolves after the data
 * pages were fdatasync'ed and the meta page written through O_DSYNC (LMDB's classic commit: `overlappingSync` is off,
 * because with it promises resolve before the flush).
 *
 * Every commit is fenced: it holds only if the number of the last commit is the one this instance knows, and raises it.
 * Whoever else has written to the file in the meantime is thus noticed inside the very transaction.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import { commitFault, fencedFault, StoreFault } from "./fault.ts";
import type { Mark } from "./journal-run.ts";
import { DATA_FILE, rewriteMetas } from "./metas.ts";
import { tryFiles } from "./probe.ts";
import { reserve, roomFor } from "./reserve.ts";
import type { PageCounts } from "./table.ts";
import { FENCE, TABLES } from "./tables.ts";
import { sealRecords } from "./upgrade.ts";

export type RawTable = Database<Uint8Array, number | string>;

/** One record to put, or to remove when there is no value. */
export interface Change {
  /** Position in `TABLES`. */
  table: number;
  key: number | string;
  value: Uint8Array | null;
}

interface EnvironmentOptions {
  /** Start of the memory map in bytes; it grows by itself. */
  mapBytes?: number;
  /** For a thread that only looks, while another one of the process has it open already. */
  readOnly?: boolean;
}

const LAST_COMMIT = "commit";
const JOURNAL_MARK = "journal";
/** Statuses with which the binding reports how a commit goes on; all others say why it failed. */
const GOING_WELL = new Set([0, 1, 2]);

/** What the package keeps for itself. */
interface Binding {
  startWriting: StartWriting;
  info(): { lastPageNumber: number };
}

type StartWriting = (address: number, report: (status: number) => unknown) => unknown;

export class Environment {
  readonly path: string;
  readonly pageBytes: number;
  readonly tables: readonly RawTable[];
  readonly #root: RootDatabase<Uint8Array, number | string>;
  readonly #fence: RawTable;
  readonly #instance = randomBytes(8);
  readonly #file: string;
  readonly #inode: number;
  #lastCommit: number | null;
  #onFailure: ((status: number) => void) | null = null;
  #mustSettle = false;
  #isClosed = false;

  constructor(path: string, { mapBytes, readOnly = false }: EnvironmentOptions = {}) {
    this.path = path;
    this.#file = join(path, DATA_FILE);
    tryFiles(path);
    this.#root = open<Uint8Array, number | string>({
      path,
      noSubdir: false,
      maxDbs: TABLES.length + 1,
      overlappingSync: false,
      eventTurnBatching: false,
      encoding: "binary",
      readOnly,
      ...(mapBytes === undefined ? {} : { mapSize: mapBytes }),
    });
    this.#inode = statSync(this.#file).ino;
    try {
      const openTables = (): { tables: RawTable[]; fence: RawTable } => ({
        tables: TABLES.map(([name, keyEncoding]) => this.#root.openDB({ name, encoding: "binary", keyEncoding })),
        fence: this.#root.openDB({ name: FENCE, encoding: "binary", useVersions: true }),
      });
      // Together: else each that has to be made is a commit of its own, and waits for the disk.
      const { tables, fence } = readOnly ? openTables() : this.#root.transactionSync(openTables);
      this.tables = tables;
      this.#fence = fence;
      this.pageBytes = (this.#root.getStats() as { pageSize: number }).pageSize;
      if (
        !readOnly &&
        this.#storedCommit() === null &&
        this.tables.some((table) => table.getKeysCount({ limit: 1 }) > 0)
      ) {
        sealRecords(this.#root, this.tables, () => this.#fence.putSync(LAST_COMMIT, this.#instance, 1));
      }
      this.#lastCommit = this.#storedCommit()?.version ?? null;
    } catch (error) {
      void this.#root.close();
      throw error;
    }
    this.#listen();
  }

  /**
   * All of it or, when this throws, nothing, unless the fault says that it is unknown. Never two at a time. `mark`: up to where
   * a journal has been followed with these changes.
   */
  async commit(changes: readonly Change[], mark: Mark | null = null): Promise<void> {
    const fileBytes = this.#bytesInPlace();
    await this.#settle();
    await this.#reserve(changes, fileBytes);
    const next = (this.#lastCommit ?? 0) + 1;
    let failure: number | null = null;
    const failed = new Promise<never>((_, reject) => {
      this.#onFailure = (status) => {
        failure = status;
        reject(new Error("the commit failed"));
      };
    });
    const issued = this.#fence.ifVersion(LAST_COMMIT, this.#lastCommit as number, () => {
      this.#fence.put(LAST_COMMIT, this.#instance, next);
      if (mark !== null) this.#fence.put(JOURNAL_MARK, mark.hash, mark.number);
      for (const { table, key, value } of changes) {
        if (value === null) this.tables[table]!.remove(key);
        else this.tables[table]!.put(key, value);
      }
    });
    try {
      if (!(await Promise.race([issued, failed]))) throw fencedFault(this.path);
      this.#lastCommit = next;
    } catch (error) {
      if (failure === null) throw error;
      throw commitFault(this.takesReaders() ? "refused" : "unknown", failure);
    }
  }

  /** Up to where a journal has been followed; null where there never was one. */
  mark(): Mark | null {
    const entry = this.#fence.getEntry(JOURNAL_MARK);
    return entry?.version === undefined ? null : { number: entry.version, hash: Buffer.from(entry.value) };
  }

  forgetMark(): void {
    if (this.mark() !== null) this.#fence.removeSync(JOURNAL_MARK);
  }

  /** Throws unless its file is where it was: in the place of one that is gone the database would make a new one. */
  mustBeInPlace(): void {
    this.#bytesInPlace();
  }

  /**
   * After a commit of which nobody knows whether it is on disk: what the file says now is what counts, and nothing else
   * may be written before that is durable. `before` is the environment that failed, closed by all threads.
   */
  resume(before: Environment): void {
    const stored = this.#storedCommit();
    const known = before.#lastCommit;
    const own = stored !== null && stored.version === (known ?? 0) + 1 && stored.value.equals(before.#instance);
    if ((stored?.version ?? null) !== known && !own) throw fencedFault(this.path);
    this.#mustSettle = true;
  }

  /** Forgets this thread's read snapshot. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  async backup(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    try {
      await this.#root.backup(folder, true);
    } catch (error) {
      // The binding tells only in words what went wrong.
      throw Object.assign(error as Error, /no space left/i.test((error as Error).message) ? { code: "ENOSPC" } : {});
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#root.close();
  }

  /** A file that was removed takes commits as before, but whoever opens the directory next will not see them. */
  #bytesInPlace(): number {
    const found = statSync(this.#file, { throwIfNoEntry: false });
    if (found?.ino === this.#inode) return found.size;
    throw new StoreFault("refused", "ENOENT", `the store \`${this.#file}\` is gone or another one (ENOENT)`);
  }

  /** Room is made before the database writes: a page that it finds no room for may end the whole process. */
  async #reserve(changes: readonly Change[], fileBytes: number): Promise<void> {
    const usedBytes = (this.#binding.info().lastPageNumber + 1) * this.pageBytes;
    try {
      const room = roomFor(changes, this.pageBytes, fileBytes - usedBytes, () => this.#treePages());
      await reserve(this.#file, fileBytes, usedBytes, room);
    } catch (error) {
      const { code = "EIO", message } = error as NodeJS.ErrnoException;
      throw new StoreFault("refused", code, `the store cannot grow: ${message}`);
    }
  }

  #treePages(): number {
    let pages = 0;
    for (const table of this.tables) {
      const { treeBranchPageCount, treeLeafPageCount } = table.getStats() as PageCounts;
      pages += treeBranchPageCount + treeLeafPageCount;
    }
    return pages;
  }

  async #settle(): Promise<void> {
    if (!this.#mustSettle) return;
    try {
      await rewriteMetas(this.path, this.pageBytes);
    } catch (error) {
      const { code = "EIO", message } = error as NodeJS.ErrnoException;
      throw new StoreFault("refused", code, `the store cannot be written to: ${message}`);
    }
    this.#mustSettle = false;
  }

  #storedCommit(): { value: Buffer; version: number } | null {
    const entry = this.#fence.getEntry(LAST_COMMIT);
    return entry?.version === undefined ? null : { value: Buffer.from(entry.value), version: entry.version };
  }

  get #binding(): Binding {
    return (this.#root as unknown as { env: Binding }).env;
  }

  /** Takes the outcome of each transaction from the binding, which itself would only print why one failed. */
  #listen(): void {
    const env = this.#binding;
    const start = env.startWriting.bind(env);
    const startWriting: StartWriting = (address, report) =>
      start(address, (status) => {
        if (GOING_WELL.has(status)) return report(status);
        this.#onFailure?.(status);
        return report(1);
      });
    Object.defineProperty(env, "startWriting", { value: startWriting });
  }

  /** When the meta page could not be written the database refuses everything until it is opened anew, reads too. */
  takesReaders(): boolean {
    try {
      this.#root.resetReadTxn();
      this.#root.useReadTransaction().done();
      return true;
    } catch {
      return false;
    }
  }
}
