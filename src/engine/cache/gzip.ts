/**
 * Answers compressed with gzip so that the two values which change can be changed without compressing all of it again:
 * those stand in blocks of the stream that are stored as they are.
 *
 * ```
 *   header | hits, query: deflated | time: stored | totals, facets: stored or deflated | uid, end: stored | sum | length
 * ```
 * The checksum at the end is that of the whole text. It is put together from those of the parts: checksums are remainders
 * of polynomials, so appending a text of n bytes multiplies the one before it by x^8n and adds the other.
 *
 * As `crc32_combine` of zlib does.
 */
import { constants, crc32, deflateRawSync } from "node:zlib";
import type { SearchAnswer } from "../answer/search.ts";
import { ZLIB } from "../link/coding.ts";
import { GZIP_HEADER, gzipTrailer, STORED_HEAD_BYTES, storedHead, TRAILER_BYTES } from "../link/gzip.ts";
import type { CachedAnswer } from "./cached-answer.ts";

/** Checksums of what stays the same. */
export interface Sums {
  /** Of all before the time. */
  head: number;
  /** Of what stands between time and uid, and by what a checksum before it is multiplied. */
  middle: number;
  shift: number;
}

/** A shorter text is stored as it is. */
const DEFLATED_BYTES_MIN = 512;
/** Ends at a whole byte, and is not the end of the stream. */
const PART = { ...ZLIB, finishFlush: constants.Z_SYNC_FLUSH };

/** What follows the uid must be short, as it is in an answer that can be given again. */
export function gzipAnswer({ body, timeAt, timeEnd, uidAt, found }: SearchAnswer): CachedAnswer {
  const head = body.subarray(0, timeAt);
  const middle = body.subarray(timeEnd, uidAt);
  const end = body.subarray(uidAt);
  const deflated = deflateRawSync(head, PART);
  const between = middle.length < DEFLATED_BYTES_MIN ? stored(middle) : [deflateRawSync(middle, PART)];
  const sums = { head: crc32(head), middle: crc32(middle), shift: shiftOf(middle.length) };
  const time = stored(body.subarray(timeAt, timeEnd));
  const last = [storedHead(end.length, true), end];
  const gzipped = Buffer.concat([GZIP_HEADER, deflated, ...time, ...between, ...last, gzipTrailer(body)]);
  const gzipTimeAt = GZIP_HEADER.length + deflated.length + STORED_HEAD_BYTES;
  return {
    body: gzipped,
    coding: "gzip",
    timeAt: gzipTimeAt,
    timeEnd: gzipTimeAt + timeEnd - timeAt,
    uidAt: gzipped.length - TRAILER_BYTES - end.length,
    sums,
    found,
  };
}

function stored(bytes: Uint8Array): Uint8Array[] {
  return [storedHead(bytes.length, false), bytes];
}

/** Writes checksum and length anew; the text has become longer by `moved` bytes. */
export function renewTrailer(gzipped: Buffer, time: string, end: Uint8Array, sums: Sums, moved: number): void {
  const at = gzipped.length - TRAILER_BYTES;
  const upToMiddle = (times(crc32(time, sums.head), sums.shift) ^ sums.middle) >>> 0;
  gzipped.writeUInt32LE(crc32(end, upToMiddle), at);
  gzipped.writeUInt32LE(gzipped.readUInt32LE(at + 4) + moved, at + 4);
}

/** Remainders have their highest power in the lowest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const X_TO_THE_8 = 0x00800000;

/** x^8n: by squaring. */
function shiftOf(bytes: number): number {
  let power = ONE;
  let square = X_TO_THE_8;
  for (let left = bytes; left > 0; left >>>= 1) {
    if ((left & 1) !== 0) power = times(power, square);
    square = times(square, square);
  }
  return power;
}

/** The product of two polynomials. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a & (1 << bit)) !== 0) product ^= b;
    b = (b & 1) !== 0 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1;
  }
  return product >>> 0;
}
