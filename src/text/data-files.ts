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

/** The lines of `data/<name>.br`. */
export function readLines(name: string): string[] {
  return readData(name).toString("utf8").split("\n");
}

/** Code of the character that stands for "shares no character with the word before". */
const NOTHING_SHARED = 0x21;

/**
 * Undoes front coding: each line begins with one character that tells how many UTF-16 units the word shares with the
 * word before. Words are sorted by unit.
 */
export function decodeWords(lines: readonly string[]): string[] {
  let previous = "";
  return lines.map((line) => {
    previous = previous.slice(0, line.charCodeAt(0) - NOTHING_SHARED) + line.slice(1);
    return previous;
  });
}

/** Calls `load` once, at the first use. */
export function lazily<T>(load: () => T): () => T {
  let loaded: { value: T } | null = null;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}
