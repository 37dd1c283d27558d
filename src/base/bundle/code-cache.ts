/**
 * The code cache of V8 for a bundle, kept in a file beside it for the next start. V8 itself checks only its own version
 * and flags. Checked here: that the data is whole, and that it was made of this bundle at this path (stack traces show
 * the path it was made at).
 */
import path from "node:path";
import { crc32 } from "node:zlib";
import { readMadeFile, writeMadeFile } from "../files/made-files.ts";

const FOLDER = "compiled";

export interface Bundle {
  file: string;
  source: Buffer;
}

/** Each version of Node has its own. */
export function keptFileOf({ file }: Bundle): string {
  const name = `${path.basename(file, ".js")}-${process.version}-${process.arch}`;
  return path.join(path.dirname(file), FOLDER, name);
}

function checksumOf({ file, source }: Bundle): number {
  return crc32(source, crc32(file));
}

/** Undefined for what is missing, damaged, or of another bundle. */
export function readKept(bundle: Bundle): Buffer | undefined {
  return readMadeFile(keptFileOf(bundle), checksumOf(bundle));
}

export function writeKept(bundle: Bundle, data: Buffer): void {
  writeMadeFile(keptFileOf(bundle), checksumOf(bundle), data);
}
