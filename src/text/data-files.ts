// Reads the compressed tables of ./data (see ./data/NOTICE for their sources). Each is read once, when first needed.
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** Decompressed in pieces of this size: fewer than by default, since all of them are wanted at once. */
const CHUNK_BYTES = 1 << 20;

/** The content of `data/<name>.br`. */
export function readData(name: string): Buffer {
  const compressed = readFileSync(new URL(`./data/${name}.br`, import.meta.url));
  return brotliDecompressSync(compressed, { chunkSize: CHUNK_BYTES });
}

/** The text of `data/<name>.br`. */
export function readText(name: string): string {
  return readData(name).toString("utf8");
}

export function readLines(name: string): string[] {
  return readText(name).split("\n");
}

/** Calls `load` once, at the first use. */
export function lazily<T>(load: () => T): () => T {
  let loaded: { value: T } | null = null;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}
