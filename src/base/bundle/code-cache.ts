/**
 * What the engine made of a bundle, kept in a file beside it for the next start. The engine looks only whether the data is
 * of its own version and flags, so that it is of this very bundle at this very place, which shows in messages, and whole,
 * is looked at here.
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
