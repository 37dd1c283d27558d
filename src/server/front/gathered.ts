/** Pieces of bytes as one, where every thread can read it. */
import { MIB } from "../../base/limits.ts";

/** Bytes that are copied before others have a turn: with memory that is touched for the first time, about a millisecond. */
const COPIED_BYTES = MIB;

export async function gathered(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = new Uint8Array(new SharedArrayBuffer(pieces.reduce((sum, { length }) => sum + length, 0)));
  let at = 0;
  let copied = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
    copied += piece.length;
    if (copied < COPIED_BYTES) continue;
    copied = 0;
    await new Promise(setImmediate);
  }
  return whole;
}
