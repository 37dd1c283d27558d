/** Uids of requests and of their queries: UUIDs of version 7, whose order is that of their times. */
import { randomFillSync } from "node:crypto";

/** Random bytes are drawn for many uids at once: a draw costs far more than the bytes. */
const RANDOM_BYTES = 10;
const pool = Buffer.alloc(RANDOM_BYTES * 256);
let used = pool.length;

export function newUid(nowMs = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  pool.copy(bytes, 6, used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
