/**
 * How many bytes a directory takes. Counted in small steps, at most once a second and for a small share of the time, since statistics may be asked for
 * far more often: thousands of indexes have tens of thousands of files. The writer removes some at any time, and whole directories.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ifThereLater } from "../../base/files/if-there.ts";

const KEEP_MS = 1000;
/** What takes long is kept so many times as long. */
const KEEP_TIMES = 20;
/** Files that are looked at at a time. */
const FILES_AT_ONCE = 32;

export function diskUsage(directory: string): () => Promise<number> {
  let counted: Promise<number> | null = null;
  const forget = (): void => {
    counted = null;
  };
  const count = async (): Promise<number> => {
    const begin = performance.now();
    try {
      return await bytesUnder(directory);
    } finally {
      setTimeout(forget, Math.max(KEEP_MS, KEEP_TIMES * (performance.now() - begin))).unref();
    }
  };
  return () => {
    counted ??= count();
    return counted;
  };
}

async function bytesUnder(directory: string): Promise<number> {
  let bytes = 0;
  const entries = (await ifThereLater(readdir(directory, { withFileTypes: true }))) ?? [];
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(directory, name));
  for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
    const sizes = await Promise.all(files.slice(from, from + FILES_AT_ONCE).map(sizeOf));
    for (const size of sizes) bytes += size;
  }
  for (const entry of entries) if (entry.isDirectory()) bytes += await bytesUnder(join(directory, entry.name));
  return bytes;
}

async function sizeOf(file: string): Promise<number> {
  const stats = await ifThereLater(stat(file));
  return stats?.size ?? 0;
}
