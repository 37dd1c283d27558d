/** Makes what happened to the entries of a directory durable: a file survives a crash only once its entry does. */
import { closeSync, fsyncSync, openSync } from "node:fs";

export function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
