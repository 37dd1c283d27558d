/**
 * Files that are there as a whole or not at all: written beside their place first, made durable as far as it matters, then put
 * there. Only one at a time may write a file.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { removeLeftover } from "./leftover.ts";
import { syncDirectory } from "./sync-directory.ts";

/** Always the same, so that one who was killed leaves nothing that nobody takes away. */
const freshName = (file: string): string => `${file}.new`;

/** Rejects where the disk refuses; what was there before stays then. Does not hold up the thread. */
export async function writeWhole(
  file: string,
  pieces: Iterable<string>,
  { durable }: { durable: "no" | "content" } = { durable: "content" },
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const fresh = freshName(file);
  try {
    const handle = await open(fresh, "w");
    try {
      for (const piece of pieces) await handle.write(piece);
      if (durable === "content") await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw error;
  }
}

interface WholeFile {
  /** What survives a power cut: nothing, what is in the file, or its entry in the directory, too. */
  durable: "no" | "content" | "entry";
  mode?: number;
}

/** For threads that may wait. Throws where the disk refuses; what was there before stays then. */
export function writeWholeSync(
  file: string,
  pieces: Iterable<string | Uint8Array>,
  { durable, mode }: WholeFile,
): void {
  const fresh = freshName(file);
  try {
    const handle = openSync(fresh, "w", mode);
    try {
      for (const piece of pieces) writeFileSync(handle, piece);
      if (durable !== "no") fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(fresh, file);
  } catch (error) {
    removeLeftover(fresh);
    throw error;
  }
  if (durable === "entry") syncDirectory(path.dirname(file));
}

/** With what a process that was killed left beside it. */
export function removeWhole(file: string): void {
  rmSync(file, { force: true });
  rmSync(freshName(file), { force: true });
}
