/**
 * Several pieces of bytes as one, with a head that tells what they are, for a front that passes them on without looking into them.
 *
 * ```
 * u32 head bytes | head: JSON | pieces, end to end
 * ```
 */
import { Buffer } from "node:buffer";

const SIZE_BYTES = 4;

export function encodeFramed(head: unknown, pieces: readonly Uint8Array[]): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const size = Buffer.allocUnsafe(SIZE_BYTES);
  size.writeUInt32LE(text.length, 0);
  return Buffer.concat([size, text, ...pieces]);
}

interface Framed<Head> {
  head: Head;
  /** The next piece, which has so many bytes. */
  take(bytes: number): Uint8Array;
  /** All that is left. */
  rest(): Buffer;
}

export function decodeFramed<Head>(bytes: Buffer): Framed<Head> {
  let at = SIZE_BYTES + bytes.readUInt32LE(0);
  return {
    head: JSON.parse(bytes.toString("utf8", SIZE_BYTES, at)) as Head,
    take(length) {
      at += length;
      return bytes.subarray(at - length, at);
    },
    rest: () => bytes.subarray(at),
  };
}

/** The head as it came, for whoever does not trust it, and what is behind it; null where not all of that came. */
export function splitFramed(bytes: Buffer): { head: Buffer; rest: Buffer } | null {
  if (bytes.length < SIZE_BYTES) return null;
  const end = SIZE_BYTES + bytes.readUInt32LE(0);
  return end > bytes.length ? null : { head: bytes.subarray(SIZE_BYTES, end), rest: bytes.subarray(end) };
}

/** One of several that follow each other, each with one piece. */
export function encodeFrame(head: object, piece: Uint8Array): [head: Buffer, piece: Uint8Array] {
  return [encodeFramed({ ...head, bytes: piece.length }, []), piece];
}

/** Each is read when it is its turn: there may be many. */
export function* framesIn<Head>(bytes: Buffer): Generator<{ head: Head; piece: Uint8Array }> {
  for (let left = bytes; left.length > 0; ) {
    const { head, rest } = decodeFramed<Head & { bytes: number }>(left);
    const { bytes: length, ...own } = head;
    const behind = rest();
    yield { head: own as unknown as Head, piece: behind.subarray(0, length) };
    left = behind.subarray(length);
  }
}
