/** The database directory before anything in it is opened: one server at a time, and of a version that fits. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { OptionError, type Options } from "../options.ts";
import { compareVersion, readVersion, writeVersion } from "../store/version.ts";
import { lockDatabase } from "./lock.ts";

export interface OpenDatabase {
  /** The older version that wrote the data, when it is upgraded now. */
  upgradedFrom: string | null;
  /** Lets another server have it. */
  close(): void;
}

export function openDatabase(options: Options, version: string): OpenDatabase {
  const { dbPath } = options;
  const unlock = lockDatabase(dbPath);
  try {
    const stored = readVersion(dbPath);
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
    if (state !== "same") writeVersion(dbPath, version);
    return { upgradedFrom: state === "older" ? stored : null, close: unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}
