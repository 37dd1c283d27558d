/**
 * Vectors that queries of a body want, and those that they are given, as bytes between threads. There may be thousands: each wish is read when it
 * is its turn, and vectors are passed on as they are.
 *
 * ```
 * wanted   a frame each, see `framed.ts`
 * given    u32 count | u32 position, u32 numbers (0: there is none to be had)   … each | f32 numbers   … each
 * ```
 */
import { Buffer } from "node:buffer";
import type { EmbedInput } from "../vector/embed/embedder.ts";
import { encodeFrame, framesIn } from "./framed.ts";

/** A query of a body that is to be found by meaning: what its vector is made of. */
export interface MissingVector {
  /** Among those that are answered here. */
  position: number;
  /** In the request, where there are several. */
  place: number | null;
  indexUid: string;
  embedder: string;
  input: EmbedInput;
  /** Whether there is nothing else to go by. */
  isNeeded: boolean;
}

/** Null when there is none to be had. */
export interface GivenVector {
  position: number;
  vector: Float32Array | null;
}

const COUNT_BYTES = 4;
const HEAD_BYTES = 8;
const NOTHING = new Uint8Array(0);

export function encodeMissing(missing: readonly MissingVector[]): Buffer {
  return Buffer.concat(missing.flatMap((each) => encodeFrame(each, NOTHING)));
}

export function* missingIn(bytes: Buffer): Generator<MissingVector> {
  for (const { head } of framesIn<MissingVector>(bytes)) yield head;
}

/** In pieces, of which all but the first are the vectors. */
export function encodeGiven(given: readonly GivenVector[]): Uint8Array[] {
  const heads = Buffer.allocUnsafe(COUNT_BYTES + given.length * HEAD_BYTES);
  const pieces: Uint8Array[] = [heads];
  heads.writeUInt32LE(given.length, 0);
  for (const [i, { position, vector }] of given.entries()) {
    heads.writeUInt32LE(position, COUNT_BYTES + i * HEAD_BYTES);
    heads.writeUInt32LE(vector?.length ?? 0, COUNT_BYTES + i * HEAD_BYTES + 4);
    if (vector !== null) pieces.push(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  }
  return pieces;
}

export function decodeGiven(bytes: Uint8Array): GivenVector[] {
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = numbers.getUint32(0, true);
  let at = COUNT_BYTES + count * HEAD_BYTES;
  return Array.from({ length: count }, (_, i) => {
    const head = COUNT_BYTES + i * HEAD_BYTES;
    const begin = at;
    at += numbers.getUint32(head + 4, true) * Float32Array.BYTES_PER_ELEMENT;
    const vector = at === begin ? null : new Float32Array(Uint8Array.from(bytes.subarray(begin, at)).buffer);
    return { position: numbers.getUint32(head, true), vector };
  });
}
