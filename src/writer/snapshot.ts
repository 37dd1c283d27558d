/**
 * A snapshot: one archive with all that the database directory needs to be opened elsewhere. The store is copied as one
 * consistent state; segment files never change, and payloads of waiting tasks stay while this batch runs.
 */
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { ArchiveWriter } from "../archive/writer.ts";
import { removeLeftover } from "../files/leftover.ts";
import { decodeManifest } from "../index/manifest.ts";
import { openStore, type Store } from "../store/store.ts";
import { VERSION_FILE } from "../store/version.ts";
import { pendingTasks } from "../tasks/pending.ts";
import { finishBatch, nextBatchUid, saveFinished, startBatch } from "../tasks/results.ts";
import type { TaskRecord } from "../tasks/task.ts";
import { nowMicros } from "../tasks/time.ts";
import { archiveOwner, COPY_FOLDER } from "./leftovers.ts";
import { type Change, succeeded, unchanged, type Work } from "./work.ts";

const STORE_FILE = "data.mdb";

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
    const copy = openStore(copyFolder);
    let files: string[];
    try {
      await finishIn(copy, tasks);
      files = referencedFiles(copy);
    } finally {
      await copy.close();
    }
    progress.step(1, "create the tarball", 2, 3);
    await pack(work, path.join(copyFolder, STORE_FILE), files);
  } finally {
    removeLeftover(copyFolder);
  }
  return unchanged(tasks.map(() => succeeded()));
}

/** In the copy the snapshot is already made: whoever starts from it must not make another. */
async function finishIn(copy: Store, tasks: readonly TaskRecord[]): Promise<void> {
  const batch = { kind: "snapshots" as const, tasks: [...tasks], strategy: "all snapshots that wait are made at once" };
  const now = nowMicros();
  const started = startBatch(batch, nextBatchUid(copy), now);
  const outcomes = tasks.map(() => succeeded());
  await copy.write(() => saveFinished(copy, finishBatch(batch, started, outcomes, now)));
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
    if (content.type !== "documentAdditionOrUpdate" || content.payload.kind !== "file") continue;
    files.push(`payloads/${content.payload.name}`);
  }
  return files;
}

async function pack(work: Work, storeFile: string, files: readonly string[]): Promise<void> {
  const { databasePath, snapshotDirectory, progress } = work;
  await mkdir(snapshotDirectory, { recursive: true });
  const name = `${path.basename(path.resolve(databasePath))}.snapshot`;
  const archive = await ArchiveWriter.create(path.join(snapshotDirectory, name), archiveOwner(databasePath));
  const checkpoint = () => work.checkpoint();
  try {
    await archive.addFile(VERSION_FILE, path.join(databasePath, VERSION_FILE));
    await archive.addFile(`store/${STORE_FILE}`, storeFile, checkpoint);
    for (const [i, file] of files.entries()) {
      progress.step(2, "file", i, files.length);
      await archive.addFile(file, path.join(databasePath, file), checkpoint);
    }
    work.checkpoint();
    await archive.finish();
  } catch (problem) {
    await archive.abandon();
    throw problem;
  }
}
