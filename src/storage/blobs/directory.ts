/**
 * Shared files in a directory that all servers can reach. Where it lies on the same file system as their data nothing is
 * copied: both names lead to the same file, which nobody ever changes.
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ifThereLater, isGone } from "../../base/files/if-there.ts";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import { type Blob, type Blobs, MissingBlob } from "./blobs.ts";

export class DirectoryBlobs implements Blobs {
  readonly place: string;

  constructor(folder: string) {
    this.place = folder;
  }

  async put(name: string, file: string): Promise<void> {
    const target = path.join(this.place, name);
    const isLinked = await linked(file, target);
    if (isLinked === "there" || (isLinked === "apart" && (await exists(target)))) return;
    if (isLinked === "apart") await copied(file, target);
    syncDirectory(path.dirname(target));
  }

  /** A name that a power cut takes from a file that is durable is missed at the next start, and the file brought again. */
  async get(name: string, file: string, { isOwn } = { isOwn: false }): Promise<void> {
    const source = path.join(this.place, name);
    try {
      if (!isOwn && (await linked(source, file)) !== "apart") return;
      await copied(source, file);
      syncDirectory(path.dirname(file));
    } catch (error) {
      if (!isGone(error) || (await exists(source))) throw error;
      throw new MissingBlob(this.place, name);
    }
  }

  async list(prefix: string): Promise<Blob[]> {
    const names = await ifThereLater(readdir(this.place, { recursive: true }));
    const blobs: Blob[] = [];
    for (const each of names ?? []) {
      const name = each.replaceAll(path.sep, "/");
      if (!name.startsWith(prefix) || path.basename(name).startsWith(".")) continue;
      const found = await stat(path.join(this.place, name)).catch(() => null);
      if (found?.isFile()) blobs.push({ name, putAtMs: found.ctimeMs });
    }
    return blobs;
  }

  async remove(name: string): Promise<void> {
    await rm(path.join(this.place, name), { force: true });
  }

  close(): void {}
}

/** Gives a file that nobody changes another name. `there`: something has that already; `apart`: one file cannot have both. */
async function linked(source: string, target: string): Promise<"linked" | "there" | "apart"> {
  try {
    await inFolder(target, () => link(source, target));
    return "linked";
  } catch (error) {
    if (isGone(error)) throw error;
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? "there" : "apart";
  }
}

/** What is in it is durable when this resolves. */
async function copied(source: string, target: string): Promise<void> {
  const draft = path.join(path.dirname(target), `.${randomUUID()}`);
  try {
    await inFolder(target, () => copyFile(source, draft, constants.COPYFILE_EXCL));
    const handle = await open(draft, "r+");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Makes the folder of this file only where that turns out to be missing: mostly it is there. */
async function inFolder(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isGone(error)) throw error;
    const made = await mkdir(path.dirname(file), { recursive: true });
    await work();
    if (made !== undefined) syncDirectory(path.dirname(made));
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null;
}
