/**
 * Filling a database directory from a file, once: decides whether it is done at all, and marks the directory while it is
 * under way. A crash leaves the mark, and then the next start either fills the directory anew or refuses it.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveSource } from "../../base/archive/reader.ts";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import type { Log } from "../../base/log/log.ts";
import type { S3Place } from "../../storage/s3/options.ts";
import { readVersion, VERSION_FILE } from "../../storage/store/version.ts";
import { OptionError, type Options } from "../options/options.ts";
import { importDump } from "./import-dump.ts";
import { filePlace, importPlace } from "./import-place.ts";
import { importSnapshot } from "./import-snapshot.ts";

const MARK_FILE = "IMPORTING";
/** All that an import may leave. Nothing else is ever removed: the directory may not be what the user thinks it is. */
const FOLDERS = ["store", "indexes", "payloads", "unpacked-dump"];

interface ImportSource {
  /** `dump` or `snapshot`, as in the names of the options. */
  kind: "dump" | "snapshot";
  file: string;
  ignoreMissing: boolean;
  ignoreIfDatabaseExists: boolean;
}

/** Fills the database directory when the options say so; tells whether it did. Opening it is the next step. */
export async function importData(options: Options, log: Log): Promise<boolean> {
  const { dbPath } = options;
  return importOnce(dbPath, sourceOf(options), options.s3, async ({ kind, file }, source) => {
    if (kind === "snapshot") return importSnapshot(file, source, dbPath, log);
    const { maxIndexingThreads: builders, allowedIpNetworks, modelsDir, modelsDownload } = options;
    const embed = { allowedIpNetworks, modelsDir, modelsDownload };
    await importDump({ dumpPath: file, databasePath: dbPath, builders, embed }, log);
  });
}

function sourceOf(options: Options): ImportSource | null {
  if (options.importDump !== null) {
    return {
      kind: "dump",
      file: options.importDump,
      ignoreMissing: options.ignoreMissingDump,
      ignoreIfDatabaseExists: options.ignoreDumpIfDbExists,
    };
  }
  if (options.importSnapshot === null) return null;
  return {
    kind: "snapshot",
    file: options.importSnapshot,
    ignoreMissing: options.ignoreMissingSnapshot,
    ignoreIfDatabaseExists: options.ignoreSnapshotIfDbExists,
  };
}

async function importOnce(
  databasePath: string,
  source: ImportSource | null,
  s3: S3Place | null,
  fill: (source: ImportSource, content: ArchiveSource) => Promise<void>,
): Promise<boolean> {
  const unfinished = existsSync(join(databasePath, MARK_FILE));
  if (source === null) {
    if (!unfinished) return false;
    throw new OptionError(
      `the database \`${databasePath}\` holds an import that did not finish; start again with the import, or remove it`,
    );
  }
  const { kind, file } = source;
  if (!unfinished && readVersion(databasePath) !== null) {
    if (source.ignoreIfDatabaseExists) return false;
    throw new OptionError(
      `\`--import-${kind}\`: the database \`${databasePath}\` exists already; see --ignore-${kind}-if-db-exists`,
    );
  }
  const place = kind === "snapshot" ? await importPlace(file, s3) : filePlace(file);
  if (place === null) {
    if (source.ignoreMissing && !unfinished) return false;
    throw new OptionError(`\`--import-${kind}\`: there is no file \`${file}\`; see --ignore-missing-${kind}`);
  }
  mark(databasePath);
  empty(databasePath);
  try {
    await fill(source, place.source);
  } catch (error) {
    throw new OptionError(`the ${kind} \`${file}\` cannot be imported: ${(error as Error).message}`);
  } finally {
    place.close();
  }
  for (const folder of FOLDERS) {
    const path = join(databasePath, folder);
    if (existsSync(path)) syncDirectory(path);
  }
  unmark(databasePath);
  return true;
}

function mark(databasePath: string): void {
  writeFileSync(join(databasePath, MARK_FILE), "", { flush: true });
  syncDirectory(databasePath);
}

/** What is there must be durable before the mark goes, hence twice. */
function unmark(databasePath: string): void {
  syncDirectory(databasePath);
  rmSync(join(databasePath, MARK_FILE));
  syncDirectory(databasePath);
}

/** Parts of a database that an earlier try has left. */
function empty(databasePath: string): void {
  for (const name of [...FOLDERS, VERSION_FILE]) rmSync(join(databasePath, name), { recursive: true, force: true });
}
