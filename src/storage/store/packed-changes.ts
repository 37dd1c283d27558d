/**
 * Changes on their way from one thread to another: all in one piece of memory, which moves over without being copied. To have the
 * engine copy a thousand small objects takes both threads longer than all the rest of their commit.
 *
 *   a change: u8 table │ u8 flags │ u32 key, or u16 bytes and the key in UTF-8 │ u32 bytes and the value, where there is one and it is short
 */
import { KIB } from "../../base/limits.ts";
import type { Change } from "./environment.ts";

export interface PackedChanges {
  count: number;
  bytes: Uint8Array;
  /** Values that are long, in order: their own memory moves over. */
  long: Uint8Array[];
}

const NUMBER_KEY = 1;
const HAS_VALUE = 2;
const IS_LONG = 4;
/** Of a change, but its key and its value. */
const HEAD_BYTES = 2 + 4 + 4;
/** Shorter ones may share their memory with others, and take no time to be copied. */
const LONG_BYTES_MIN = 64 * KIB;

/** `moved`: what is to be transferred with it. Nobody looks at a long value again that is packed. */
export function packChanges(changes: readonly Change[]): { packed: PackedChanges; moved: ArrayBuffer[] } {
  let size = 0;
  for (const { key, value } of changes) {
    size += HEAD_BYTES + (typeof key === "string" ? Buffer.byteLength(key) : 0);
    if (value !== null && !isLong(value)) size += value.byteLength;
  }
  const bytes = Buffer.from(new ArrayBuffer(size));
  const long: Uint8Array[] = [];
  let at = 0;
  for (const { table, key, value } of changes) {
    const flags =
      (typeof key === "number" ? NUMBER_KEY : 0) |
      (value === null ? 0 : HAS_VALUE) |
      (value !== null && isLong(value) ? IS_LONG : 0);
    bytes[at] = table;
    bytes[at + 1] = flags;
    at += 2;
    if (typeof key === "number") at = bytes.writeUInt32LE(key, at);
    else {
      const keyBytes = bytes.write(key, at + 2);
      at = bytes.writeUInt16LE(keyBytes, at) + keyBytes;
    }
    if (value === null) continue;
    if (isLong(value)) {
      long.push(value);
      continue;
    }
    at = bytes.writeUInt32LE(value.byteLength, at);
    bytes.set(value, at);
    at += value.byteLength;
  }
  const packed = { count: changes.length, bytes: bytes.subarray(0, at), long };
  return { packed, moved: [bytes, ...long].map(({ buffer }) => buffer as ArrayBuffer) };
}

/** Short values are parts of the memory that they came in. */
export function unpackChanges({ count, bytes, long }: PackedChanges): Change[] {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const changes: Change[] = [];
  let at = 0;
  let longRead = 0;
  for (let left = count; left > 0; left--) {
    const table = packed[at]!;
    const flags = packed[at + 1]!;
    at += 2;
    let key: number | string;
    if (flags & NUMBER_KEY) {
      key = packed.readUInt32LE(at);
      at += 4;
    } else {
      const end = at + 2 + packed.readUInt16LE(at);
      key = packed.toString("utf8", at + 2, end);
      at = end;
    }
    let value: Uint8Array | null = null;
    if (flags & IS_LONG) value = long[longRead++]!;
    else if (flags & HAS_VALUE) {
      const end = at + 4 + packed.readUInt32LE(at);
      value = packed.subarray(at + 4, end);
      at = end;
    }
    changes.push({ table, key, value });
  }
  return changes;
}

/** Of a value that has its memory for itself: whatever else lies there would move along. */
function isLong({ byteLength, buffer }: Uint8Array): boolean {
  return byteLength >= LONG_BYTES_MIN && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer;
}
