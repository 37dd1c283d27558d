/**
 * Shared files in a directory that all servers can reach. Where it lies on the same file system as their data nothing is
 * copied: both names lead to the same file, which nobody ever changes.
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import { type Blob, type Blobs, MissingBlob } from "./blobs.ts";

export class DirectoryBlobs implements Blobs {
  readonly place: string;

  constructor(folder: string) {
    this.place = folder;
  }

  async put(name: string, file: string): Promise<void> {
    const target = path.join(this.place, name);
    if (await exists(target)) return;
    const made = await mkdir(path.dirname(target), { recursive: true });
    await place(file, target);
    if (made !== undefined) syncDirectory(path.dirname(made));
  }

  async get(name: string, file: string, { isOwn } = { isOwn: false }): Promise<void> {
    const source = path.join(this.place, name);
    if (!(await exists(source))) throw new MissingBlob(this.place, name);
    await mkdir(path.dirname(file), { recursive: true });
    await place(source, file, isOwn);
  }

  async list(prefix: string): Promise<Blob[]> {
    const names = await readdir(this.place, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    const blobs: Blob[] = [];
    for (const each of names) {
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

/** Durable when this resolves. */
async function place(source: string, target: string, isOwn = false): Promise<void> {
  const draft = path.join(path.dirname(target), `.${randomUUID()}`);
  try {
    if (isOwn || !(await linked(source, draft))) await copied(source, draft);
    await rename(draft, target);
  } finally {
    // Where both were the same file already, renaming leaves the draft.
    await rm(draft, { force: true });
  }
  syncDirectory(path.dirname(target));
}

/** False where one file cannot have both names. */
async function linked(source: string, draft: string): Promise<boolean> {
  try {
    await link(source, draft);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    return false;
  }
}

async function copied(source: string, draft: string): Promise<void> {
  await copyFile(source, draft, constants.COPYFILE_EXCL);
  const handle = await open(draft, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null;
}
