/** Unpacks a snapshot into an empty database directory. Whether its indexes are sound is found out when they are opened. */
import { join } from "node:path";
import { type ArchiveSource, unpackArchive } from "../../base/archive/reader.ts";
import type { Log } from "../../base/log/log.ts";
import { nowMicros } from "../../base/time/time.ts";
import { checkStoreFile } from "../../storage/store/file/check.ts";
import { DATA_FILE } from "../../storage/store/metas.ts";
import { openStore, type Store } from "../../storage/store/store.ts";
import { readVersion } from "../../storage/store/version.ts";
import { pendingTasks } from "../../storage/tasks/pending.ts";
import { finishBatch, nextBatchUid, saveFinished, startBatch } from "../../storage/tasks/results.ts";

/** `source` is the file, or what is read from where it is named after. */
export async function importSnapshot(
  file: string,
  source: ArchiveSource,
  databasePath: string,
  log: Log,
): Promise<void> {
  log.info("main", "unpacking a snapshot", { file });
  await unpackArchive(source, databasePath);
  if (readVersion(databasePath) === null) throw new Error("it is no snapshot: it does not say which version made it");
  const folder = join(databasePath, "store");
  checkStoreFile(join(folder, DATA_FILE));
  const store = openStore(folder);
  try {
    // One that a server of a cluster made is the beginning of a server on its own.
    store.leaveJournal();
    await finishSnapshots(store);
  } finally {
    await store.close();
  }
  log.info("main", "the snapshot is unpacked", { file });
}

/** The snapshot itself was being made when the store was copied: it must not be made again. */
async function finishSnapshots(store: Store): Promise<void> {
  const tasks = [...pendingTasks(store)].filter(({ content }) => content.type === "snapshotCreation");
  if (tasks.length === 0) return;
  const batch = { kind: "snapshots" as const, tasks, strategy: "all snapshots that wait are made at once" };
  const now = nowMicros();
  const started = startBatch(batch, nextBatchUid(store), now);
  const outcomes = tasks.map(() => ({ status: "succeeded" }) as const);
  await store.write(() => saveFinished(store, finishBatch(batch, started, outcomes, now)));
}
