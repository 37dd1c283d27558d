/**
 * One server a database directory, however many containers share its volume. The lock is one that the kernel holds: a small
 * LMDB environment that only this module opens, whose lock file the system keeps locked for as long as the process lives.
 * (That of the store cannot serve: two threads open it, and closing the second descriptor gives the lock of the first away.)
 *
 *   owner.mdb, owner.mdb-lock    the lock        LOCK    who has it, for people
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { open, type RootDatabase, type Transaction } from "lmdb";
import { latestMeta } from "../../storage/store/file/check.ts";
import { PageFile } from "../../storage/store/file/pages.ts";
import { makeRoom } from "../../storage/store/probe.ts";
import { OptionError } from "../options/options.ts";

const LOCK_FILE = "owner.mdb";
const NOTE_FILE = "LOCK";
/** All that is ever in it are its two head pages. */
const MAP_BYTES = 1 << 17;
const NEW_FILE_BYTES = 2 * 4096;
/** What the database keeps in the file of its option `noSubdir`. */
const NO_SUBFOLDER = 0x4000;

/**
 * Directories that this process has, since the kernel's locks do not keep a process from itself, with what keeps its name in the table: when
 * that is collected as garbage, the directory is free.
 */
const held = new Map<string, Transaction>();

interface DatabaseLock {
  /** False when somebody has removed the lock: another server may have the directory by now. */
  isHeld(): boolean;
  release(): void;
}

/** Throws when another server has the directory. */
export function lockDatabase(databasePath: string): DatabaseLock {
  mkdirSync(databasePath, { recursive: true });
  const folder = realpathSync(databasePath);
  if (held.has(folder)) throw new OptionError(`the database \`${databasePath}\` is in use by this very process`);
  const file = join(folder, LOCK_FILE);
  const lockFile = `${file}-lock`;
  for (const path of [file, lockFile]) mustBeFile(path);
  dropUnlessSound(file);
  makeRoom(file, lockFile, NEW_FILE_BYTES);
  const environment = open({
    path: file,
    noSubdir: true,
    maxDbs: 1,
    mapSize: MAP_BYTES,
    overlappingSync: false,
    noSync: true,
    encoding: "binary",
  });
  const presence = enter(environment);
  if (presence === null) {
    void environment.close();
    throw new OptionError(`the database \`${databasePath}\` is in use by ${holderIn(folder)}`);
  }
  held.set(folder, presence);
  const note = join(folder, NOTE_FILE);
  try {
    writeFileSync(note, `process ${process.pid} on ${hostname()}`);
  } catch {
    // A full disk keeps nobody from starting: only the name of the holder is missing then.
  }
  const own = inodeOf(lockFile);
  return {
    isHeld: () => inodeOf(lockFile) === own,
    release() {
      rmSync(note, { force: true, recursive: true });
      presence.done();
      void environment.close();
      held.delete(folder);
    },
  };
}

/**
 * Whoever opens the environment while nobody else has it finds the table of its readers emptied. The holder stays in that
 * table; that nobody is in it is found out, and one's own name put there, inside one write transaction.
 */
function enter(environment: RootDatabase): Transaction | null {
  let presence: Transaction | null = null;
  environment.transactionSync(() => {
    if (!/^\s*\d+\s/m.test(environment.readerList())) presence = environment.useReadTransaction();
  });
  return presence;
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** What cannot be opened as one ends the process inside the database, without a word. */
function mustBeFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new OptionError(`\`${path}\` is no file, and must be one or not be there: remove it`);
  }
}

/** Nothing is in it, and the lock is on the file beside it: one that is damaged can be made anew while others have it. */
function dropUnlessSound(path: string): void {
  if (!existsSync(path)) return;
  const file = new PageFile(path, NO_SUBFOLDER);
  try {
    if (latestMeta(file).main.root === null) return;
  } catch {
    // It is dropped.
  } finally {
    file.close();
  }
  rmSync(path);
}

function holderIn(folder: string): string {
  try {
    return readFileSync(join(folder, NOTE_FILE), "utf8") || "another server";
  } catch {
    return "another server";
  }
}
