/**
 * Reads the compressed tables of ./data (see ./data/NOTICE for their sources). Each is read once, when first needed. What
 * takes long to make of one is kept beside it where the server is built, for the next start and for other threads.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, crc32 } from "node:zlib";
import { readMadeFile, writeMadeFile } from "../files/made-files.ts";

/** Decompressed in pieces of this size: fewer than by default, since all of them are wanted at once. */
const CHUNK_BYTES = 1 << 20;
/** Nothing is left among the sources. */
const IS_BUILT = !import.meta.url.endsWith(".ts");

/** The content of `data/<name>.br`. */
function readData(name: string): Buffer {
  return decompressed(readCompressed(name));
}

/** The text of `data/<name>.br`. */
export function readText(name: string): string {
  return readData(name).toString("utf8");
}

export function readLines(name: string): string[] {
  return readText(name).split("\n");
}

/**
 * What `make` makes of the content of `data/<name>.br`, or has made of it before, at a multiple of eight. Numbers in it are
 * in the order of the machine's bytes.
 */
export function readMade(name: string, make: (data: Buffer) => Uint8Array): Uint8Array {
  const compressed = readCompressed(name);
  if (!IS_BUILT) return make(decompressed(compressed));
  const file = fileURLToPath(new URL(`./data/made/${name}-${process.arch}`, import.meta.url));
  const madeFrom = crc32(compressed);
  const kept = readMadeFile(file, madeFrom);
  if (kept !== undefined) return kept;
  const made = make(decompressed(compressed));
  writeMadeFile(file, madeFrom, made);
  return made;
}

function readCompressed(name: string): Buffer {
  return readFileSync(new URL(`./data/${name}.br`, import.meta.url));
}

function decompressed(compressed: Buffer): Buffer {
  return brotliDecompressSync(compressed, { chunkSize: CHUNK_BYTES });
}

/** Calls `load` once, at the first use. */
export function lazily<T>(load: () => T): () => T {
  let loaded: { value: T } | null = null;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}
