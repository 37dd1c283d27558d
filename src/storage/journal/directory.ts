/**
 * A journal in a directory that all its servers can reach: one file a record, named by its number. A name is given by
 * `link`, which refuses one that exists, so of several who add the same number one wins, as long as the file system keeps
 * to that (a local one does, and NFS).
 *
 *   <directory>/000000000042      a record
 *   <directory>/first             number of the first record that was not trimmed
 *   <directory>/.<random>         a record on its way
 */
import { randomUUID } from "node:crypto";
import { type FSWatcher, mkdirSync, readdirSync } from "node:fs";
import { link, open, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ifThereLater, isGone } from "../../base/files/if-there.ts";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import { writeWhole } from "../../base/files/whole.ts";
import { MIB } from "../../base/limits.ts";
import { type Journal, LostRecords, TrimmedRecord } from "./journal.ts";
import { watched } from "./watched.ts";

const FIRST_FILE = "first";
const NUMBER_DIGITS = 12;
const RECORD_BYTES = 4 * MIB;
/** Where the system does not tell of new files, other machines' for example, somebody has to look. */
const LOOK_MS = 100;
/** What is on its way for longer was left behind. */
const ABANDONED_MS = 3_600_000;

export class DirectoryJournal implements Journal {
  readonly place: string;
  readonly recordBytes = RECORD_BYTES;
  readonly #looking: NodeJS.Timeout;
  readonly #watcher: FSWatcher | null;
  #tell: () => void = () => {};

  constructor(folder: string) {
    this.place = folder;
    mkdirSync(folder, { recursive: true });
    this.#looking = setInterval(() => this.#tell(), LOOK_MS).unref();
    this.#watcher = watched(folder, () => this.#tell());
  }

  async first(): Promise<number> {
    return Number((await ifThereLater(readFile(this.#file(FIRST_FILE), "utf8"))) ?? 1);
  }

  async last(): Promise<number> {
    let last = (await this.first()) - 1;
    for (const name of readdirSync(this.place)) if (isRecord(name)) last = Math.max(last, Number(name));
    return last;
  }

  async append(number: number, record: Uint8Array): Promise<"appended" | "taken"> {
    const target = this.#file(nameOf(number));
    const draft = this.#file(`.${randomUUID()}`);
    try {
      const handle = await open(draft, "wx").catch((error) => {
        // It was there when this was opened.
        throw isGone(error) && number > 1 ? new LostRecords(this.place, number - 1) : error;
      });
      try {
        await handle.writeFile(record);
        await handle.sync();
      } finally {
        await handle.close();
      }
      try {
        await link(draft, target);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return "taken";
        throw error;
      }
    } finally {
      await rm(draft, { force: true });
    }
    // A name is free again once its record is trimmed. What is trimmed is said before anything is removed.
    if (number < (await this.first())) {
      await rm(target, { force: true });
      return "taken";
    }
    if (await this.#isLost(number - 1)) {
      await rm(target, { force: true });
      throw new LostRecords(this.place, number - 1);
    }
    syncDirectory(this.place);
    return "appended";
  }

  async read(number: number): Promise<Uint8Array | null> {
    const record = await ifThereLater(readFile(this.#file(nameOf(number))));
    if (number < (await this.first())) throw new TrimmedRecord(this.place, number);
    if (record === null && (await this.#isLost(number - 1))) throw new LostRecords(this.place, number - 1);
    return record;
  }

  onNews(_after: number, tell: () => void): void {
    this.#tell = tell;
  }

  async trim(first: number): Promise<void> {
    if (first <= (await this.first())) return;
    await writeWhole(this.#file(FIRST_FILE), [String(first)]);
    syncDirectory(this.place);
    for (const name of await readdir(this.place)) {
      const file = this.#file(name);
      if (isRecord(name) ? Number(name) < first : name.startsWith(".") && (await isAbandoned(file))) {
        await rm(file, { force: true });
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    this.#watcher?.close();
    this.#tell = () => {};
  }

  /** Whether a record that somebody has followed is neither there nor forgotten. */
  async #isLost(number: number): Promise<boolean> {
    // Rejects when nobody knows, as with too many files open.
    if (number < 1 || (await ifThereLater(stat(this.#file(nameOf(number))))) !== null) return false;
    // Asked only now: what is trimmed is said before it is removed.
    return number >= (await this.first());
  }

  #file(name: string): string {
    return path.join(this.place, name);
  }
}

function nameOf(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, "0");
}

function isRecord(name: string): boolean {
  return name.length === NUMBER_DIGITS && /^\d+$/.test(name);
}

async function isAbandoned(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS;
}
