/**
 * Puts the files of the one-file executable where Node can load them from: once into a folder that is named after their
 * hashes and that only its owner can reach. At every start every file in it is hashed, and the folder is made anew where one
 * is not what it should be.
 */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { type FileEntry, filesIn, nameOf, sha256 } from "./file-list.ts";

export interface Carried {
  list: readonly FileEntry[];
  contents(): Uint8Array;
}

const OTHERS_MAY_WRITE = 0o022;
/** Somebody else was there first: by system, and by whether the folder is empty. */
const TAKEN = ["ENOTEMPTY", "EEXIST", "EPERM", "ENOTDIR"];

/** The folder that has the files, in the first of these places that will do. */
export function unpack(carried: Carried, places: readonly string[]): string {
  const problems: string[] = [];
  for (const place of places) {
    try {
      return unpackInto(carried, place);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(`the program cannot be unpacked; set XDG_CACHE_HOME to a folder for it: ${problems.join("; ")}`);
}

function unpackInto(carried: Carried, place: string): string {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  if (!isOurs(place)) throw new Error(`others may write to ${place}`);
  const folder = path.join(place, nameOf(carried.list));
  if (isIntact(folder, carried.list)) return folder;
  const fresh = mkdtempSync(path.join(place, "new-"));
  try {
    for (const [entry, content] of filesIn(carried.list, carried.contents())) write(fresh, entry.path, content);
    putInPlace(fresh, folder, carried.list);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** At once, so that nobody ever finds half of it; another process may be about to do the same. */
function putInPlace(fresh: string, folder: string, list: readonly FileEntry[]): void {
  try {
    renameSync(fresh, folder);
    return;
  } catch (error) {
    if (!TAKEN.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  if (isIntact(folder, list)) return;
  const damaged = `${fresh}-damaged`;
  renameSync(folder, damaged);
  try {
    renameSync(fresh, folder);
  } finally {
    rmSync(damaged, { recursive: true, force: true });
  }
}

function write(folder: string, name: string, content: Uint8Array): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, "wx", 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at);
    // A power cut must not leave what the next start has to make anew.
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isIntact(folder: string, list: readonly FileEntry[]): boolean {
  try {
    return (
      isOurs(folder) && list.every((entry) => sha256(readFileSync(path.join(folder, entry.path))) === entry.sha256)
    );
  } catch {
    return false;
  }
}

function isOurs(folder: string): boolean {
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) return false;
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & OTHERS_MAY_WRITE) === 0);
}
