/**
 * Opens what the database is about to open, and closes it again. When the binding itself fails to open a file it uses memory
 * that it has freed, and the process may end; so whatever would fail is to fail here.
 */
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { DATA_FILE } from "./metas.ts";

const LOCK_FILE = "lock.mdb";

/** Throws what the system says. A store that is yet to be made is left to the database. */
export function tryFiles(folder: string): void {
  const data = join(folder, DATA_FILE);
  if (!existsSync(data)) return;
  const lock = join(folder, LOCK_FILE);
  // All at once, as the database has them: the data by two descriptors, of which one syncs.
  const files = [data, data, ...(existsSync(lock) ? [lock] : [])];
  const open: number[] = [];
  try {
    for (const file of files) open.push(openSync(file, "r+"));
  } finally {
    for (const fd of open) closeSync(fd);
  }
}
