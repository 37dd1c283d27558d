/** Checkpoints of a cluster for the command line: lists them, and makes the database of a server from one. */
import { HelperPool } from "../../engine/helper/pool.ts";
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import { openBlobs } from "../../storage/blobs/open.ts";
import { restoreBackup } from "../cluster/backups.ts";
import { type Checkpoint, Checkpoints } from "../cluster/checkpoints.ts";
import { lockDatabase } from "./lock.ts";

/** The last one first. */
export async function listBackups(place: BlobsPlace): Promise<Checkpoint[]> {
  const blobs = openBlobs(place);
  try {
    return await new Checkpoints(blobs, ".").list();
  } finally {
    blobs.close();
  }
}

interface Wanted {
  blobs: BlobsPlace;
  atMs: number | null;
}

export async function restoreFrom(wanted: Wanted, databasePath: string, version: string): Promise<Checkpoint> {
  const lock = lockDatabase(databasePath);
  const blobs = openBlobs(wanted.blobs);
  const helpers = new HelperPool(1);
  try {
    return await restoreBackup({ blobs, databasePath, atMs: wanted.atMs, helpers, version });
  } finally {
    await helpers.stop();
    blobs.close();
    lock.release();
  }
}
