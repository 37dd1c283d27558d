/** The database directory before anything in it is opened: one server at a time, and of a version that fits. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../base/log/log.ts";
import { DATA_FILE } from "../../storage/store/metas.ts";
import { compareVersion, noteUpgrade, readVersion, untoldUpgrade, writeVersion } from "../../storage/store/version.ts";
import { OptionError, type Options } from "../options/options.ts";
import { importData } from "./importing.ts";
import { lockDatabase } from "./lock.ts";
import { mustHoldOnlyFiles } from "./only-files.ts";
import { orphanedIndexes } from "./orphans.ts";
import { recoverStore } from "./recover.ts";
import { recoverSegments } from "./recover-segments.ts";

interface OpenDatabase {
  /** The older version that wrote the data, until a task tells of the upgrade. */
  upgradedFrom: string | null;
  /** Whether it is still this server's. */
  isOwn(): boolean;
  /** Lets another server have it. */
  close(): void;
}

/** Filled from a file first, when the options say so. */
export async function openDatabase(options: Options, version: string, log: Log): Promise<OpenDatabase> {
  const { dbPath } = options;
  mustHoldOnlyFiles(dbPath);
  const lock = lockDatabase(dbPath);
  try {
    const isFilled = await importData(options, log);
    if (options.recover) {
      await recoverStore(dbPath, log);
      await recoverSegments(dbPath, log);
    }
    // A server of a cluster gets its store and whatever files it lacks from there.
    if (options.cluster === null && orphanedIndexes(dbPath).length > 0) {
      throw new OptionError(
        `the database \`${dbPath}\` holds files of indexes, but its store \`${join(dbPath, "store", DATA_FILE)}\` is missing or ` +
          "empty. Start from a snapshot or a dump, or with --recover, which keeps the files aside and begins anew",
      );
    }
    // A dump is loaded by this version; a snapshot brings the file along.
    if ((isFilled || options.recover) && readVersion(dbPath) === null) writeVersion(dbPath, version);
    const stored = readVersion(dbPath);
    if (stored === null && existsSync(join(dbPath, "store", DATA_FILE))) {
      throw new OptionError(
        `the database \`${dbPath}\` holds data, but no file VERSION that says which version wrote it; ` +
          `start with --recover if that was ${version}`,
      );
    }
    const state = compareVersion(stored, version);
    if (state === "newer") {
      throw new OptionError(
        `the database \`${dbPath}\` was written by version ${stored}, newer than this one (${version})`,
      );
    }
    if (state === "older" && !options.upgradeDb) {
      throw new OptionError(
        `the database \`${dbPath}\` was written by version ${stored}; start with --upgrade-db to upgrade it`,
      );
    }
    mkdirSync(join(dbPath, "store"), { recursive: true });
    mkdirSync(join(dbPath, "indexes"), { recursive: true });
    if (state === "older") {
      log.info("main", "the data of an older version is upgraded", { from: stored, to: version });
      noteUpgrade(dbPath, stored!);
    }
    if (state !== "same") writeVersion(dbPath, version);
    return { upgradedFrom: untoldUpgrade(dbPath), isOwn: () => lock.isHeld(), close: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}
