/** Checkpoints of a cluster as backups: which there are, and how one becomes the database of a server on its own. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { HelperPool } from "../../engine/helper/pool.ts";
import type { Blobs } from "../../storage/blobs/blobs.ts";
import { DATA_FILE } from "../../storage/store/metas.ts";
import { openStore } from "../../storage/store/store.ts";
import { writeVersion } from "../../storage/store/version.ts";
import { OptionError } from "../options/options.ts";
import { type Checkpoint, Checkpoints } from "./checkpoints.ts";
import { ClusterFiles } from "./files.ts";

/** The last one that was there at a time; the last of all for none. */
function backupAt(backups: readonly Checkpoint[], atMs: number | null): Checkpoint | null {
  return backups.find(({ putAtMs }) => atMs === null || Math.floor(putAtMs) <= atMs) ?? null;
}

interface Restoring {
  blobs: Blobs;
  databasePath: string;
  atMs: number | null;
  helpers: Pick<HelperPool, "run">;
  version: string;
}

/** Makes the database, which must not be there yet. A cluster can begin with it as with that of any server. */
export async function restoreBackup({ blobs, databasePath, atMs, helpers, version }: Restoring): Promise<Checkpoint> {
  const storePath = path.join(databasePath, "store");
  if (existsSync(path.join(storePath, DATA_FILE))) {
    throw new OptionError(`the database \`${databasePath}\` holds data already; name another one with --db-path`);
  }
  const checkpoints = new Checkpoints(blobs, databasePath);
  const chosen = backupAt(await checkpoints.list(), atMs);
  if (chosen === null) {
    const when = atMs === null ? "" : ` that is not later than ${new Date(atMs).toISOString()}`;
    throw new OptionError(`there is no checkpoint${when} in ${blobs.place}`);
  }
  mkdirSync(databasePath, { recursive: true });
  const verify = (file: string): Promise<string | null> => helpers.run("segment.verifyBodies", { path: file });
  const fresh = path.join(databasePath, "restoring");
  await checkpoints.fetch(chosen, fresh);
  const store = openStore(fresh);
  try {
    await new ClusterFiles(databasePath, blobs, verify).bringAll(store);
    // It belongs to no cluster any more.
    store.leaveJournal();
  } finally {
    await store.close();
  }
  writeVersion(databasePath, version);
  // Last: a database that has its store is whole.
  checkpoints.place(fresh, storePath);
  return chosen;
}
