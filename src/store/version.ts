/**
 * The VERSION file of a database directory: which release wrote it. Says what was found; the caller decides whether
 * an upgrade is due.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { syncDirectory } from "../sync-directory.ts";

export const VERSION_FILE = "VERSION";

/** The version written there, or null for a directory without one (new or not ours). */
export function readVersion(databasePath: string): string | null {
  try {
    return readFileSync(join(databasePath, VERSION_FILE), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Replaces the file whole or not at all. */
export function writeVersion(databasePath: string, version: string): void {
  const target = join(databasePath, VERSION_FILE);
  const draft = `${target}.tmp`;
  const file = openSync(draft, "w");
  try {
    writeSync(file, version);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, target);
  syncDirectory(databasePath);
}

export type VersionState = "new" | "same" | "older" | "newer";

/** How the release that wrote the directory relates to the one that opens it. */
export function compareVersion(stored: string | null, running: string): VersionState {
  if (stored === null) return "new";
  const left = numbers(stored);
  const right = numbers(running);
  for (let i = 0; i < 3; i++) {
    if (left[i]! !== right[i]!) return left[i]! < right[i]! ? "older" : "newer";
  }
  return "same";
}

function numbers(version: string): number[] {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) throw new Error(`The VERSION file holds \`${version}\`, which is not a version.`);
  return [Number(match[1]), Number(match[2]), Number(match[3])];
}
