/**
 * The two meta pages at the head of an LMDB file. When writing one of them failed, disk and page cache may differ; writing
 * what the file says once more makes the two the same, so that pages which only the disk's version knows of can be used again.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";

export const DATA_FILE = "data.mdb";

export async function rewriteMetas(folder: string, pageBytes: number): Promise<void> {
  const file = await open(join(folder, DATA_FILE), "r+");
  try {
    const bytes = Buffer.alloc(2 * pageBytes);
    await file.read(bytes, 0, bytes.length, 0);
    await file.write(bytes, 0, bytes.length, 0);
    await file.datasync();
  } finally {
    await file.close();
  }
}
