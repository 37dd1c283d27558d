/**
 * A snapshot: one archive with all that the database directory needs to be opened elsewhere. The store is copied as one
 * consistent state; segment files never change, and payloads of waiting tasks stay while this batch runs.
 *
 * The copy is only read here, page by page: opening it, too, would be one more chance for the binding to end the process,
 * which it does when it fails to open a file. In it the snapshot still waits to be made; whoever starts from it sees to that.
 */
import { existsSync, statSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { ArchiveWriter } from "../../base/archive/writer.ts";
import { payloadFileOf, type TaskRecord } from "../../base/contract/task.ts";
import { removeLeftover } from "../../base/files/leftover.ts";
import { decodeManifest } from "../../storage/index/manifest.ts";
import { Bucket } from "../../storage/s3/bucket.ts";
import { keyBelow } from "../../storage/s3/options.ts";
import { Upload } from "../../storage/s3/upload.ts";
import { checkStoreFile } from "../../storage/store/file/check.ts";
import { DATA_FILE } from "../../storage/store/metas.ts";
import type { Store } from "../../storage/store/store.ts";
import { VERSION_FILE } from "../../storage/store/version.ts";
import { pendingTasks } from "../../storage/tasks/pending.ts";
import { StopSignal } from "./embedding/stop-signal.ts";
import { archiveOwner, COPY_FOLDER, PARTS_FOLDER } from "./leftovers.ts";
import { type Change, succeeded, unchanged, type Work } from "./work.ts";

export async function createSnapshot(work: Work, tasks: readonly TaskRecord[]): Promise<Change> {
  const { databasePath, progress } = work;
  const copyFolder = path.join(databasePath, COPY_FOLDER);
  progress.step(1, "start the snapshot creation", 0, 3);
  // A crash may have left the copy of an earlier try.
  await rm(copyFolder, { recursive: true, force: true });
  try {
    progress.step(1, "snapshot the store", 1, 3);
    await work.store.backup(copyFolder);
    work.checkpoint();
    const copy = path.join(copyFolder, DATA_FILE);
    if (!existsSync(copy) || statSync(copy).size === 0) throw new Error("the copy of the store is empty");
    checkStoreFile(copy);
    progress.step(1, "create the tarball", 2, 3);
    // No index changes while this batch runs; what tasks have brought since then is no harm.
    work.store.refresh();
    await pack(work, copy, referencedFiles(work.store));
  } finally {
    removeLeftover(copyFolder);
  }
  return unchanged(tasks.map(() => succeeded()));
}

/** Segments and payloads that the store leads to, below the database directory. */
function referencedFiles(store: Store): string[] {
  const files: string[] = [];
  for (const [, { id }] of store.catalog.entries()) {
    const bytes = store.manifests.get(id);
    if (bytes === undefined) continue;
    for (const { file } of decodeManifest(bytes).segments) files.push(`indexes/${id}/${file}`);
  }
  for (const { content } of pendingTasks(store)) {
    const name = payloadFileOf(content);
    if (name !== null) files.push(`payloads/${name}`);
  }
  return files;
}

async function pack(work: Work, storeFile: string, files: readonly string[]): Promise<void> {
  const { databasePath, progress } = work;
  const place = await openPlace(work, `${path.basename(path.resolve(databasePath))}.snapshot`);
  const checkpoint = () => work.checkpoint();
  const { archive } = place;
  try {
    await archive.addFile(VERSION_FILE, path.join(databasePath, VERSION_FILE));
    await archive.addFile(`store/${DATA_FILE}`, storeFile, checkpoint);
    for (const [i, file] of files.entries()) {
      progress.step(2, "file", i, files.length);
      await archive.addFile(file, path.join(databasePath, file), checkpoint);
    }
    work.checkpoint();
    await archive.finish();
  } catch (problem) {
    await archive.abandon();
    throw problem;
  } finally {
    place.close();
  }
}

/** In the folder of snapshots, or in the bucket when there is one. */
async function openPlace(work: Work, name: string): Promise<{ archive: ArchiveWriter; close(): void }> {
  const { databasePath, snapshotDirectory, s3 } = work;
  const owner = archiveOwner(databasePath);
  if (s3 === null) {
    await mkdir(snapshotDirectory, { recursive: true });
    return { archive: await ArchiveWriter.create(path.join(snapshotDirectory, name), owner), close: () => {} };
  }
  const bucket = new Bucket(s3);
  const stop = new StopSignal(work);
  const close = () => {
    stop.dispose();
    bucket.close();
  };
  try {
    const { partBytes, partsAtOnce } = s3;
    const folder = path.join(databasePath, PARTS_FOLDER);
    const key = keyBelow(s3.prefix, name);
    const upload = await Upload.begin({ bucket, key, folder, partBytes, partsAtOnce, signal: stop.signal });
    return { archive: new ArchiveWriter(upload, s3.compressionLevel), close };
  } catch (problem) {
    close();
    throw problem;
  }
}
