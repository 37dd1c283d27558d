/**
 * Memory for answers on their way out, which are many, of some kilobytes, and soon gone. Those that are sent at once lie in
 * memory that is used again in the next turn of the event loop; others are cut from larger pieces, because each piece of its own
 * costs more to make and to free than it takes to fill it.
 */
import { Buffer } from "node:buffer";
import { aligned } from "./copying.ts";

const SLAB_BYTES = 128 * 1024;
/** A longer one gets memory of its own: it would leave too much of a slab unused. */
const SHARED_BYTES_MAX = SLAB_BYTES / 4;
/** What is taken in one turn is mostly less; a piece of a long answer is half of it. */
const TURN_BYTES = 512 * 1024;

let slab = Buffer.alloc(0);
let used = 0;
let turn: Buffer | null = null;
let usedInTurn = 0;

/** A copy in bytes that nobody else has. */
export function slabCopy(bytes: Uint8Array): Buffer {
  const copy = slabRoom(bytes.length);
  copy.set(bytes);
  return copy;
}

function slabRoom(bytes: number): Buffer {
  if (bytes > SHARED_BYTES_MAX) return Buffer.allocUnsafeSlow(bytes);
  if (used + bytes > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const room = slab.subarray(used, used + bytes);
  used += aligned(bytes);
  return room;
}

/** To be called where the event loop calls, and only there: what was lent in the turns before is used again. */
export function beginTurn(): void {
  usedInTurn = 0;
}

/** Bytes, with any content, that are good until the next turn. */
export function turnRoom(bytes: number): Buffer {
  turn ??= Buffer.allocUnsafeSlow(TURN_BYTES);
  if (usedInTurn + bytes > TURN_BYTES) return slabRoom(bytes);
  const room = turn.subarray(usedInTurn, usedInTurn + bytes);
  usedInTurn += aligned(bytes);
  return room;
}

/** What was lent last is not needed any more: the pieces of a long answer are copied from the same bytes, one after the other. */
export function returnRoom(room: Buffer): void {
  const bytes = aligned(room.length);
  if (turn !== null && room.buffer === turn.buffer && room.byteOffset + bytes === turn.byteOffset + usedInTurn) {
    usedInTurn -= bytes;
  }
}
