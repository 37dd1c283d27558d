/**
 * Memory for answers on their way out, which are many, of some kilobytes, and soon gone: cut from larger pieces, because
 * each piece of its own costs more to make and to free than it takes to fill it.
 */
import { Buffer } from "node:buffer";

const SLAB_BYTES = 128 * 1024;
/** A longer one gets memory of its own: it would leave too much of a slab unused. */
const SHARED_BYTES_MAX = SLAB_BYTES / 4;

let slab = Buffer.alloc(0);
let used = 0;

/** Bytes that nobody else has, with any content. */
export function slabRoom(bytes: number): Buffer {
  if (bytes > SHARED_BYTES_MAX) return Buffer.allocUnsafeSlow(bytes);
  if (used + bytes > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const room = slab.subarray(used, used + bytes);
  used += bytes;
  return room;
}
