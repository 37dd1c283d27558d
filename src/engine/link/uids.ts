/** Uids of requests and of their queries: UUIDs of version 7, whose order is that of their times. */
import { randomFillSync } from "node:crypto";

/** Random bytes are drawn for many uids at once: a draw costs far more than the bytes. */
const RANDOM_BYTES = 10;
const pool = Buffer.alloc(RANDOM_BYTES * 256);
let used = pool.length;

/** Both are written anew for every uid. */
const bytes = Buffer.alloc(16);
const text = Buffer.alloc(36, "-");
/** Where in the text the two digits of each byte stand. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const DIGITS = Buffer.from("0123456789abcdef");

export function newUid(nowMs = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  bytes.writeUIntBE(nowMs, 0, 6);
  for (let i = 0; i < RANDOM_BYTES; i++) bytes[6 + i] = pool[used + i]!;
  used += RANDOM_BYTES;
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  for (let i = 0; i < bytes.length; i++) {
    text[PLACES[i]!] = DIGITS[bytes[i]! >> 4]!;
    text[PLACES[i]! + 1] = DIGITS[bytes[i]! & 15]!;
  }
  return text.toString("latin1");
}
