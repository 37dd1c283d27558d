/** Makes what happened to the entries of a directory durable: a file survives a crash only once its entry does. */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

export function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** For a thread that must not wait for the disk. */
export async function syncDirectoryLater(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
