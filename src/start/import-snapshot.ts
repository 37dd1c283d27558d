/** Unpacks a snapshot into an empty database directory. Whether its indexes are sound is found out when they are opened. */
import { join } from "node:path";
import { unpackArchive } from "../archive/reader.ts";
import type { Log } from "../log/log.ts";
import { checkStoreFile } from "../store/file/check.ts";
import { DATA_FILE } from "../store/metas.ts";
import { readVersion } from "../store/version.ts";

export async function importSnapshot(file: string, databasePath: string, log: Log): Promise<void> {
  log.info("main", "unpacking a snapshot", { file });
  await unpackArchive(file, databasePath);
  if (readVersion(databasePath) === null) throw new Error("it is no snapshot: it does not say which version made it");
  checkStoreFile(join(databasePath, "store", DATA_FILE));
  log.info("main", "the snapshot is unpacked", { file });
}
