/**
 * Files that are there as a whole or not at all, written without holding up the thread: beside their place first, made durable,
 * then put there. Only one at a time may write a file.
 */
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";

/** Rejects where the disk refuses; what was there before stays then. */
export async function writeWhole(file: string, pieces: Iterable<string>): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const fresh = `${file}.new`;
  try {
    const handle = await open(fresh, "w");
    try {
      for (const piece of pieces) await handle.write(piece);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw error;
  }
}
