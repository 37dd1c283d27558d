/**
 * What the server writes holds every document and key, so it is for its own user alone: data, dumps, snapshots, whatever file a
 * thread or library of this process makes.
 */
import { chmodSync } from "node:fs";
import type { Log } from "../../base/log/log.ts";

/** Once for the whole process, before anything is written. */
export function writePrivately(): void {
  process.umask(0o077);
}

/** Closes what an earlier version, or somebody else, has made readable. A mounted folder may belong to another user. */
export function closeDirectory(path: string, log: Pick<Log, "warn">): void {
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    log.warn("main", "the data directory could not be closed to other users", {
      path,
      cause: (error as Error).message,
    });
  }
}
