/**
 * What lies in the database directory, before anything of it is opened: to open a pipe waits for whoever is at its other end, a device may
 * never end, and the database maps what it takes for its own file.
 */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { OptionError } from "../options/options.ts";

export function mustHoldOnlyFiles(databasePath: string): void {
  for (const entry of entriesUnder(databasePath)) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const found = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry;
    if (found === undefined || found.isFile() || found.isDirectory()) continue;
    throw new OptionError(`\`${path}\` is neither a file nor a folder, and is in the place of one: remove it`);
  }
}

function entriesUnder(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true });
  } catch {
    // Not there yet, or it cannot be read, which whoever needs it will name.
    return [];
  }
}
