/**
 * One transaction of the store as bytes: what a record of a journal holds. Tables go by their names, since their order is
 * this release's business, and each transaction names the one before it by its hash, so that no two histories are ever mixed.
 *
 *   u8 format │ 16 hash of the record before │ 16 id │ u8 tables │ per table: u8 bytes, name │ u32 changes │ … │ u32 CRC-32
 *   a change: u8 table │ u8 flags │ u32 key, or u16 bytes and the key in UTF-8 │ where there is a value: u32 bytes, value
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Change } from "./environment.ts";
import { TABLES } from "./tables.ts";

const FORMAT = 1;
const HASH_BYTES = 16;
export const ID_BYTES = 16;
const HEADER_BYTES = 1 + HASH_BYTES + ID_BYTES;
const CRC_BYTES = 4;
const NUMBER_KEY = 1;
const HAS_VALUE = 2;

interface Transaction {
  /** Hash of the record before; zeros for the first one. */
  before: Uint8Array;
  /** No other transaction has it. */
  id: Uint8Array;
  changes: readonly Change[];
}

/** What is before the first record. */
export const NOTHING_BEFORE: Uint8Array = new Uint8Array(HASH_BYTES);

export function hashOf(record: Uint8Array): Uint8Array {
  return hash("sha256", record, "buffer").subarray(0, HASH_BYTES);
}

export function encodeTransaction({ before, id, changes }: Transaction): Buffer {
  const used = [...new Set(changes.map(({ table }) => table))];
  const names = used.map((table) => Buffer.from(TABLES[table]![0]));
  const keys = changes.map(({ key }) => (typeof key === "number" ? null : Buffer.from(key)));
  let size = HEADER_BYTES + 1 + 4 + CRC_BYTES;
  for (const name of names) size += 1 + name.length;
  for (const [i, { value }] of changes.entries()) {
    size += 2 + (keys[i] == null ? 4 : 2 + keys[i]!.length) + (value === null ? 0 : 4 + value.byteLength);
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.writeUInt8(FORMAT, 0);
  const put = (part: Uint8Array): void => {
    bytes.set(part, at);
    at += part.byteLength;
  };
  put(before);
  put(id);
  at = bytes.writeUInt8(names.length, at);
  for (const name of names) {
    at = bytes.writeUInt8(name.length, at);
    put(name);
  }
  at = bytes.writeUInt32LE(changes.length, at);
  for (const [i, { table, key, value }] of changes.entries()) {
    const text = keys[i];
    at = bytes.writeUInt8(used.indexOf(table), at);
    at = bytes.writeUInt8((text == null ? NUMBER_KEY : 0) | (value === null ? 0 : HAS_VALUE), at);
    if (text == null) at = bytes.writeUInt32LE(key as number, at);
    else {
      at = bytes.writeUInt16LE(text.length, at);
      put(text);
    }
    if (value !== null) {
      at = bytes.writeUInt32LE(value.byteLength, at);
      put(value);
    }
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(0, at)), at);
  return bytes;
}

/** Its values are parts of the record. Throws what is wrong with it. */
export function decodeTransaction(record: Uint8Array): Transaction {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  if (bytes.length < HEADER_BYTES + CRC_BYTES) throw new Error("the record is cut off");
  if (bytes[0] !== FORMAT) throw new Error(`the record has the format ${bytes[0]}, which this release does not know`);
  const end = bytes.length - CRC_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) throw new Error("the record is damaged");
  let at = 1;
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = (length: 1 | 2 | 4): number => {
    at += length;
    return bytes.readUIntLE(at - length, length);
  };
  const before = take(HASH_BYTES);
  const id = take(ID_BYTES);
  const tables = Array.from({ length: number(1) }, () => positionOf(take(number(1)).toString()));
  const changes: Change[] = [];
  for (let left = number(4); left > 0; left--) {
    const table = tables[number(1)]!;
    const flags = number(1);
    const key = flags & NUMBER_KEY ? number(4) : take(number(2)).toString();
    changes.push({ table, key, value: flags & HAS_VALUE ? take(number(4)) : null });
  }
  return { before, id, changes };
}

function positionOf(name: string): number {
  const position = TABLES.findIndex(([own]) => own === name);
  if (position < 0) throw new Error(`the record changes the table \`${name}\`, which this release does not know`);
  return position;
}
