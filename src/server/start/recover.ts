/**
 * `--recover`: makes a new store of what is whole in a damaged one, beside it, and puts it in its place. The damaged one is
 * kept under another name, as are the files of indexes of which nothing is known any more.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import type { Log } from "../../base/log/log.ts";
import { decodeManifest } from "../../storage/index/manifest.ts";
import { markCodec } from "../../storage/store/codecs.ts";
import { Environment } from "../../storage/store/environment.ts";
import { changesOf, type Salvaged, salvage } from "../../storage/store/file/salvage.ts";
import { DATA_FILE } from "../../storage/store/metas.ts";
import { seal, unseal } from "../../storage/store/seal.ts";
import type { CatalogEntry } from "../../storage/store/store.ts";
import { decodeTaskHead } from "../../storage/store/task-record.ts";
import { keysOf, textsOf } from "../../storage/store/texts.ts";
import { orphanedIndexes } from "./orphans.ts";

const CHANGES_AT_ONCE = 1000;

export async function recoverStore(databasePath: string, log: Log): Promise<void> {
  const folder = join(databasePath, "store");
  const when = new Date().toISOString().replaceAll(":", "-");
  keepAside(databasePath, orphanedIndexes(databasePath), when, log);
  if (!existsSync(join(folder, DATA_FILE)) || statSync(join(folder, DATA_FILE)).size === 0) return;
  const salvaged = salvage(join(folder, DATA_FILE));
  if (salvaged.problems.length === 0) {
    log.info("main", "the store is whole: nothing has to be recovered");
    return;
  }
  for (const problem of salvaged.problems) log.warn("main", "damaged in the store", { problem });
  completeTasks(salvaged);
  keepAside(databasePath, completeIndexes(salvaged, join(databasePath, "indexes")), when, log);
  await write(salvaged, `${folder}.recovered`);
  renameSync(folder, `${folder}.damaged-${when}`);
  renameSync(`${folder}.recovered`, folder);
  syncDirectory(databasePath);
  const counts = Object.fromEntries([...salvaged.records].map(([name, records]) => [name, records.size]));
  log.warn("main", "the store is made of what was whole", { ...counts, before: `${folder}.damaged-${when}` });
}

/** Files of indexes of which nothing is known. */
function keepAside(databasePath: string, lost: readonly string[], when: string, log: Log): void {
  for (const id of lost) {
    const kept = join(databasePath, `lost-${when}`);
    mkdirSync(kept, { recursive: true });
    renameSync(join(databasePath, "indexes", id), join(kept, id));
    log.warn("main", "nothing is known of the files of an index; they are kept", { folder: join(kept, id) });
  }
}

/** Which tasks wait is told by the tasks. One whose texts are not all there is lost with them. */
function completeTasks({ records }: Salvaged): void {
  const pending = records.get("pending")!;
  const tasks = records.get("tasks")!;
  const texts = records.get("texts")!;
  pending.clear();
  for (const [uid, sealed] of [...tasks]) {
    const head = decodeTaskHead(unseal("tasks", uid, sealed)!, Number(uid));
    if (
      !textsOf(head)
        .flatMap(keysOf)
        .every((key) => texts.has(key))
    ) {
      tasks.delete(uid);
      continue;
    }
    const { finishedAt } = head;
    if (finishedAt === null) pending.set(uid, seal("pending", uid, markCodec.encode(true)));
  }
}

/** Each index has one name and a manifest whose files are there. Returns the folders of files that belong to none. */
function completeIndexes({ records }: Salvaged, folder: string): string[] {
  const catalog = records.get("catalog")!;
  const manifests = records.get("manifests")!;
  const folders = existsSync(folder) ? readdirSync(folder) : [];
  for (const [id, sealed] of [...manifests]) {
    const { segments } = decodeManifest(unseal("manifests", id, sealed)!);
    // What was deleted may still lie about in the store, but its files do not.
    if (segments.length > 0 && !folders.includes(`${id}`)) manifests.delete(id);
  }
  const named = new Set<number>();
  for (const [uid, sealed] of [...catalog]) {
    const { id } = JSON.parse(unseal("catalog", uid, sealed)!.toString()) as CatalogEntry;
    if (named.has(id) || !manifests.has(id)) catalog.delete(uid);
    else named.add(id);
  }
  for (const [id, sealed] of manifests) {
    if (named.has(Number(id))) continue;
    const { createdAt, updatedAt } = decodeManifest(unseal("manifests", id, sealed)!);
    const entry: CatalogEntry = { id: Number(id), createdAt, updatedAt };
    catalog.set(`recovered-${id}`, seal("catalog", `recovered-${id}`, Buffer.from(JSON.stringify(entry))));
  }
  const given = [...manifests.keys(), ...folders].map(Number).filter(Number.isSafeInteger);
  const nextIndexId = Buffer.from(JSON.stringify(Math.max(-1, ...given) + 1));
  records.get("meta")!.set("nextIndexId", seal("meta", "nextIndexId", nextIndexId));
  return folders.filter((id) => !manifests.has(Number(id)));
}

async function write(salvaged: Salvaged, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const environment = new Environment(folder);
  try {
    const changes = [...changesOf(salvaged)];
    for (let i = 0; i < changes.length; i += CHANGES_AT_ONCE) {
      await environment.commit(changes.slice(i, i + CHANGES_AT_ONCE));
    }
  } finally {
    await environment.close();
  }
  syncDirectory(folder);
}
