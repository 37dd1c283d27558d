/**
 * What the one-file executable carries: the names, sizes and hashes of files, and their contents one after the other in one
 * compressed piece. The list is read at every start, the contents only when they have to be unpacked.
 */
import { createHash } from "node:crypto";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

export interface FileEntry {
  /** From the folder they are unpacked in, with slashes. */
  path: string;
  bytes: number;
  sha256: string;
}

/** Names of the two parts inside the executable. */
export const LIST_ASSET = "files.json";
export const CONTENTS_ASSET = "files.br";

/** Among the files: the server, and what loads it. */
export const MAIN_FILE = "dist/main.js";
export const BOOT_FILE = "boot.cjs";

export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Tells one set of files from every other: the name of the folder that has them. */
export function nameOf(list: readonly FileEntry[]): string {
  return sha256(list.map((entry) => `${entry.sha256} ${entry.path}\n`).join("")).slice(0, 32);
}

/** `quality`: 0 to 11, quick to small. */
export function packFiles(
  files: ReadonlyMap<string, Uint8Array>,
  quality: number,
): { list: FileEntry[]; contents: Buffer } {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const list = sorted.map(([path, content]) => ({ path, bytes: content.length, sha256: sha256(content) }));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  return { list, contents: brotliCompressSync(Buffer.concat(sorted.map(([, content]) => content)), { params }) };
}

export function* filesIn(list: readonly FileEntry[], contents: Uint8Array): Generator<[FileEntry, Buffer]> {
  const whole = brotliDecompressSync(contents);
  let at = 0;
  for (const entry of list) {
    yield [entry, whole.subarray(at, at + entry.bytes)];
    at += entry.bytes;
  }
}
