/**
 * Opens what the database is about to open, and closes it again; writes what it is about to write, and removes it again. When the binding
 * itself fails to open a file it uses memory that it has freed, and the database maps its lock file, where a page that the disk has no
 * room for ends the process; so whatever would fail is to fail here.
 */
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { DATA_FILE } from "./metas.ts";

const LOCK_FILE = "lock.mdb";
/** Whole pages, and more of them than the database maps. It takes a longer file for one with room for more readers. */
const LOCK_BYTES = 3 * 4096;
/** More than a new store takes with its empty tables. */
const NEW_STORE_BYTES = 1 << 18;

/** Throws what the system says. */
export function tryFiles(folder: string): void {
  const data = join(folder, DATA_FILE);
  const lock = join(folder, LOCK_FILE);
  makeRoom(data, lock, NEW_STORE_BYTES);
  if (!existsSync(data)) return;
  // All at once, as the database has them: the data by two descriptors, of which one syncs.
  const open: number[] = [];
  try {
    for (const file of [data, data, lock]) open.push(openSync(file, "r+"));
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** Room on the disk for the two files of an environment, where they are yet to be made. `dataBytes`: what a new data file takes. */
export function makeRoom(data: string, lock: string, dataBytes: number): void {
  mkdirSync(dirname(data), { recursive: true });
  if (isEmpty(lock)) append(lock, LOCK_BYTES);
  if (!isEmpty(data)) return;
  const trial = `${data}.trial`;
  try {
    append(trial, dataBytes);
  } finally {
    rmSync(trial, { force: true });
  }
}

const isEmpty = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;

/** Zeros, which the database takes for a lock file that nobody has used. */
function append(file: string, bytes: number): void {
  const fd = openSync(file, "a");
  try {
    for (let left = bytes; left > 0; ) left -= writeSync(fd, Buffer.alloc(left));
  } catch (problem) {
    // One of which only the beginning is there would be taken for whole.
    rmSync(file);
    // Of a write the system does not say where.
    const { message, code } = problem as NodeJS.ErrnoException;
    throw Object.assign(new Error(`\`${file}\` cannot be written: ${message}`), { code });
  } finally {
    closeSync(fd);
  }
}
