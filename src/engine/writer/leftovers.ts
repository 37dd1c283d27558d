/** What a server or a writer that ended half way through a dump or a snapshot has left: removed by the next one. */
import { createHash } from "node:crypto";
import path from "node:path";
import { sweepDrafts } from "../../base/archive/writer.ts";
import { removeLeftover } from "../../base/files/leftover.ts";

/** Below the database directory: the store as it goes into a snapshot. */
export const COPY_FOLDER = "snapshot-copy";
/** The same: parts of a snapshot that wait to be sent to a bucket. */
export const PARTS_FOLDER = "snapshot-parts";

/** Several servers may put their archives into one folder; none removes those that another one is making. */
export function archiveOwner(databasePath: string): string {
  return `-${createHash("sha256").update(path.resolve(databasePath)).digest("hex").slice(0, 12)}`;
}

export function sweepArchives(databasePath: string, folders: readonly string[]): void {
  for (const folder of folders) sweepDrafts(folder, archiveOwner(databasePath));
  for (const folder of [COPY_FOLDER, PARTS_FOLDER]) removeLeftover(path.join(databasePath, folder));
}
