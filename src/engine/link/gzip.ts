/**
 * The pieces of a gzip stream whose bytes are stored as they are: for parts that change after the rest was compressed,
 * and for texts too short to gain by it.
 */
import { crc32 } from "node:zlib";

/** Magic, deflate, no name, no date, quickest method, any system. */
export const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255);
export const STORED_HEAD_BYTES = 5;
/** Checksum and length. */
export const TRAILER_BYTES = 8;

/** What comes before bytes that are stored as they are: at most 65,535 of them. */
export function storedHead(length: number, isLast: boolean): Uint8Array {
  return Uint8Array.of(isLast ? 1 : 0, length & 0xff, length >>> 8, ~length & 0xff, (~length >>> 8) & 0xff);
}

/** What ends the stream of this text. */
export function gzipTrailer(text: Uint8Array): Buffer {
  const trailer = Buffer.allocUnsafe(TRAILER_BYTES);
  trailer.writeUInt32LE(crc32(text), 0);
  trailer.writeUInt32LE(text.length, 4);
  return trailer;
}

/** A whole stream that holds a short text as it is. */
export function gzipStored(text: Uint8Array): Buffer {
  return Buffer.concat([GZIP_HEADER, storedHead(text.length, true), text, gzipTrailer(text)]);
}
