/**
 * What the engine made of a bundle, kept in a file beside it for the next start: a head with checksums, then the engine's
 * own data. The engine looks only whether the data is of its own version and flags, so that it is of this very bundle at
 * this very place, which shows in messages, and whole, is looked at here.
 *
 * ```
 *  0  magic "SabreJS1"      8  u32 crc32 of the place and source      12  u32 crc32 of the data      16  data
 * ```
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";

const MAGIC = Buffer.from("SabreJS1", "latin1");
const HEAD_BYTES = 16;
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
  let bytes: Buffer;
  try {
    bytes = readFileSync(keptFileOf(bundle));
  } catch {
    return undefined;
  }
  if (bytes.length <= HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const data = bytes.subarray(HEAD_BYTES);
  if (bytes.readUInt32LE(8) !== checksumOf(bundle) || bytes.readUInt32LE(12) !== crc32(data)) return undefined;
  return data;
}

/** Whole or not at all; where it cannot be written, the next start is as slow as this one. */
export function writeKept(bundle: Bundle, data: Buffer): void {
  const file = keptFileOf(bundle);
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head.writeUInt32LE(checksumOf(bundle), 8);
  head.writeUInt32LE(crc32(data), 12);
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const fresh = mkdtempSync(`${file}-`);
    try {
      writeFileSync(path.join(fresh, "data"), Buffer.concat([head, data]));
      renameSync(path.join(fresh, "data"), file);
    } finally {
      rmSync(fresh, { recursive: true });
    }
  } catch {
    // No room, no permission, somebody else's folder: only time is lost.
  }
}
