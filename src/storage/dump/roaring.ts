/**
 * Sets of task uids as dumps of the common form hold them: the portable form of Roaring bitmaps, as a list of bytes.
 *
 *   [cookie] [containers] [high half, count - 1]* [offset]* ([low half]* | [bitmap of 8 KiB] | [runs])*
 *
 * Written without runs; read with and without. What does not fit the description gives null.
 */
import type { Json } from "../../base/json/value.ts";

const COOKIE = 12346;
const COOKIE_WITH_RUNS = 12347;
/** With runs, smaller sets have no offsets. */
const OFFSETS_FROM = 4;
const ARRAY_MAX = 4096;
const BITMAP_BYTES = 8192;
/** A few bytes can stand for billions of members; no queue has as many tasks as this. */
const MEMBERS_MAX = 1 << 24;

export function encodeUids(uids: readonly number[]): number[] {
  const groups = new Map<number, number[]>();
  for (const uid of [...new Set(uids)].sort((a, b) => a - b)) {
    const lows = groups.get(uid >>> 16);
    if (lows === undefined) groups.set(uid >>> 16, [uid & 0xffff]);
    else lows.push(uid & 0xffff);
  }
  const heads = Buffer.alloc(8 + 8 * groups.size);
  heads.writeUInt32LE(COOKIE, 0);
  heads.writeUInt32LE(groups.size, 4);
  const bodies: Buffer[] = [];
  let offset = heads.length;
  for (const [i, [high, lows]] of [...groups].entries()) {
    const body = lows.length > ARRAY_MAX ? bitmapOf(lows) : Buffer.from(Uint16Array.from(lows).buffer);
    heads.writeUInt16LE(high, 8 + 4 * i);
    heads.writeUInt16LE(lows.length - 1, 10 + 4 * i);
    heads.writeUInt32LE(offset, 8 + 4 * groups.size + 4 * i);
    bodies.push(body);
    offset += body.length;
  }
  return [...Buffer.concat([heads, ...bodies])];
}

function bitmapOf(lows: readonly number[]): Buffer {
  const bitmap = Buffer.alloc(BITMAP_BYTES);
  for (const low of lows) bitmap[low >>> 3]! |= 1 << (low & 7);
  return bitmap;
}

export function decodeUids(value: Json | undefined): number[] | null {
  if (!Array.isArray(value)) return null;
  try {
    return decode(Buffer.from(value as number[]));
  } catch (problem) {
    if (problem instanceof RangeError) return null;
    throw problem;
  }
}

/** Reads past the end are range errors. */
function decode(bytes: Buffer): number[] | null {
  let at = 4;
  const cookie = bytes.readUInt32LE(0);
  const hasRuns = (cookie & 0xffff) === COOKIE_WITH_RUNS;
  if (!hasRuns && cookie !== COOKIE) return null;
  const size = hasRuns ? (cookie >>> 16) + 1 : bytes.readUInt32LE(at);
  if (!hasRuns) at += 4;
  if (size > 1 << 16) return null;
  const flags = at;
  if (hasRuns) at += (size + 7) >>> 3;
  const heads = at;
  at += 4 * size;
  if (!hasRuns || size >= OFFSETS_FROM) at += 4 * size;
  const uids: number[] = [];
  for (let i = 0; i < size; i++) {
    const base = bytes.readUInt16LE(heads + 4 * i) * 0x10000;
    const count = bytes.readUInt16LE(heads + 4 * i + 2) + 1;
    if (hasRuns && (bytes.readUInt8(flags + (i >>> 3)) & (1 << (i & 7))) !== 0) {
      const runs = bytes.readUInt16LE(at);
      at += 2;
      for (let run = 0; run < runs; run++, at += 4) {
        const [start, more] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)];
        for (let low = start; low <= start + more; low++) uids.push(base + low);
        if (uids.length > MEMBERS_MAX) return null;
      }
    } else if (count > ARRAY_MAX) {
      for (let low = 0; low < 8 * BITMAP_BYTES; low++) {
        if ((bytes.readUInt8(at + (low >>> 3)) & (1 << (low & 7))) !== 0) uids.push(base + low);
      }
      at += BITMAP_BYTES;
    } else {
      for (let k = 0; k < count; k++, at += 2) uids.push(base + bytes.readUInt16LE(at));
    }
    if (uids.length > MEMBERS_MAX) return null;
  }
  return uids;
}
