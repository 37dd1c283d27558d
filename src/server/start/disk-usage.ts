/** How many bytes a directory takes. Counted at most once a second, since statistics may be asked for far more often. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const KEEP_MS = 1000;

export function diskUsage(directory: string): () => number {
  let countedAt = Number.NEGATIVE_INFINITY;
  let bytes = 0;
  return () => {
    if (performance.now() - countedAt > KEEP_MS) {
      bytes = bytesUnder(directory);
      countedAt = performance.now();
    }
    return bytes;
  };
}

function bytesUnder(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    try {
      bytes += statSync(join(entry.parentPath ?? entry.path, entry.name)).size;
    } catch {
      // Gone since the directory was read: the writer removes files at any time.
    }
  }
  return bytes;
}
