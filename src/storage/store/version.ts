/**
 * The VERSION file of a database directory: which release wrote it. Says what was found; the caller decides whether
 * an upgrade is due.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ifThere } from "../../base/files/if-there.ts";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import { writeWholeSync } from "../../base/files/whole.ts";

export const VERSION_FILE = "VERSION";
const UPGRADE_FILE = "UPGRADING";

/** The version written there, or null for a directory without one (new or not ours). */
export function readVersion(databasePath: string): string | null {
  return readText(databasePath, VERSION_FILE);
}

export function writeVersion(databasePath: string, version: string): void {
  writeWholeSync(join(databasePath, VERSION_FILE), [version], { durable: "entry" });
}

/**
 * The version that an upgrade came from, until the task that tells of it is durable; null when there is none to tell of.
 * The data counts as that of the new version before: an older server must not touch what this one has.
 */
export function untoldUpgrade(databasePath: string): string | null {
  return readText(databasePath, UPGRADE_FILE);
}

/** Of several upgrades that nobody was told of, the first counts. */
export function noteUpgrade(databasePath: string, from: string): void {
  if (untoldUpgrade(databasePath) !== null) return;
  writeWholeSync(join(databasePath, UPGRADE_FILE), [from], { durable: "entry" });
}

export function forgetUpgrade(databasePath: string): void {
  rmSync(join(databasePath, UPGRADE_FILE), { force: true });
  syncDirectory(databasePath);
}

function readText(databasePath: string, name: string): string | null {
  const file = join(databasePath, name);
  try {
    return ifThere(() => readFileSync(file, "utf8").trim());
  } catch (error) {
    throw new Error(`\`${file}\` cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

type VersionState = "new" | "same" | "older" | "newer";

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
