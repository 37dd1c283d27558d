/** Tells when something in a directory changes, where the system does. */
import { type FSWatcher, watch } from "node:fs";

/** Null where the system has no watches left; then it is only looked at. */
export function watched(folder: string, tell: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, tell);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
