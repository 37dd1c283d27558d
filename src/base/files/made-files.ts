/**
 * What takes time to make and can be made again, kept in a file for the next start: a head with checksums, then the data.
 *
 * ```
 *  0  magic "SabreJS1"      8  u32 checksum of what it was made from      12  u32 crc32 of the data      16  data
 * ```
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";

const MAGIC = Buffer.from("SabreJS1", "latin1");
const HEAD_BYTES = 16;

/** Undefined for what is missing, damaged, or made from something else. */
export function readMadeFile(file: string, madeFrom: number): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  if (bytes.length <= HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const data = bytes.subarray(HEAD_BYTES);
  return bytes.readUInt32LE(8) === madeFrom && bytes.readUInt32LE(12) === crc32(data) ? data : undefined;
}

/** Whole or not at all; where it cannot be written, the next start is as slow as this one. */
export function writeMadeFile(file: string, madeFrom: number, data: Uint8Array): void {
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head.writeUInt32LE(madeFrom, 8);
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
