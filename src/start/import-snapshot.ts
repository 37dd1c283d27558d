/** Unpacks a snapshot into an empty database directory. Whether its data is sound is found out when it is opened. */
import { unpackArchive } from "../archive/reader.ts";
import type { Log } from "../log/log.ts";
import { readVersion } from "../store/version.ts";

export async function importSnapshot(file: string, databasePath: string, log: Log): Promise<void> {
  log.info("main", "unpacking a snapshot", { file });
  await unpackArchive(file, databasePath);
  if (readVersion(databasePath) === null) throw new Error("it is no snapshot: it does not say which version made it");
  log.info("main", "the snapshot is unpacked", { file });
}
