/**
 * Every record ends with a checksum over its table, its key and its bytes, looked at whenever it is read: no flipped bit
 * ever passes for data, and no record for another one.
 *
 *   bytes of the record │ u32 CRC-32
 */
import { crc32 } from "node:zlib";

export const SEAL_BYTES = 4;

export class DamagedRecord extends Error {
  override readonly name = "DamagedRecord";

  constructor(table: string, key: number | string) {
    super(`the record \`${key}\` of the table \`${table}\` in the store is damaged: it does not match its checksum`);
  }
}

export function seal(table: string, key: number | string, bytes: Uint8Array): Buffer {
  const sealed = Buffer.allocUnsafe(bytes.byteLength + SEAL_BYTES);
  sealed.set(bytes, 0);
  sealed.writeUInt32LE(crc32(bytes, seed(table, key)), bytes.byteLength);
  return sealed;
}

/** The bytes that were sealed, still in the memory they came in, or null when they or the seal have changed. */
export function unseal(table: string, key: number | string, sealed: Uint8Array): Buffer | null {
  const end = sealed.byteLength - SEAL_BYTES;
  if (end < 0) return null;
  const body = Buffer.from(sealed.buffer, sealed.byteOffset, end);
  const sum = sealed[end]! | (sealed[end + 1]! << 8) | (sealed[end + 2]! << 16) | (sealed[end + 3]! << 24);
  return sum >>> 0 === crc32(body, seed(table, key)) ? body : null;
}

const seeds = new Map<string, number>();

function seed(table: string, key: number | string): number {
  let own = seeds.get(table);
  if (own === undefined) {
    own = crc32(table);
    seeds.set(table, own);
  }
  return typeof key === "number" ? (own ^ Math.imul(key, 0x9e3779b1)) >>> 0 : crc32(key, own);
}
