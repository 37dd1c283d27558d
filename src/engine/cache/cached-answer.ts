/**
 * An answer that can be given again: its bytes, compressed or not, and where in them the two values stand that are never
 * the same twice, the time it took and the uid of the request. Writes those anew and leaves the rest as it is; knows
 * nothing of queries.
 */
import { Buffer } from "node:buffer";
import type { SearchAnswer } from "../answer/search.ts";
import { aligned } from "../link/copying.ts";
import { STORED_HEAD_BYTES, storedHead, TRAILER_BYTES } from "../link/gzip.ts";
import { renewTrailer, type Sums } from "./gzip.ts";

/** Places in the bytes as they are sent. */
interface VolatileSpans {
  /** The digits of `processingTimeMs`. */
  timeAt: number;
  timeEnd: number;
  /** Of `requestUid`, inside the quotes. */
  uidAt: number;
  /** Of an answer compressed with gzip; null for one that is not compressed. */
  sums: Sums | null;
}

export interface CachedAnswer extends VolatileSpans {
  body: Uint8Array;
  coding: "gzip" | null;
  /** How many documents were found; null where that is not known. */
  found: number | null;
}

export function plainAnswer(answer: SearchAnswer): CachedAnswer {
  const { body, timeAt, timeEnd, uidAt, found } = answer;
  return { body, coding: null, timeAt, timeEnd, uidAt, sums: null, found };
}

/** The same answer with another time and another uid, all of which are of one length, in bytes that `room` has for it. */
export function refreshed(
  body: Uint8Array,
  { timeAt, timeEnd, uidAt, sums }: VolatileSpans,
  time: string,
  uid: string,
  room: (length: number) => Buffer,
): Buffer {
  const moved = time.length - (timeEnd - timeAt);
  const answer = room(body.length + moved);
  answer.set(body.subarray(0, timeAt));
  answer.write(time, timeAt, "latin1");
  answer.set(body.subarray(timeEnd), timeEnd + moved);
  answer.write(uid, uidAt + moved, "latin1");
  if (sums === null) return answer;
  answer.set(storedHead(time.length, false), timeAt - STORED_HEAD_BYTES);
  renewTrailer(answer, time, answer.subarray(uidAt + moved, answer.length - TRAILER_BYTES), sums, moved);
  return answer;
}

/** The body follows, which is copied to and from shared memory. */
const SPANS_BYTES = aligned(28);

/** For the way to another thread. */
export function encodeVolatileSpans({ timeAt, timeEnd, uidAt, sums }: VolatileSpans): Buffer {
  const bytes = Buffer.allocUnsafe(SPANS_BYTES);
  bytes.writeUInt32LE(timeAt, 0);
  bytes.writeUInt32LE(timeEnd, 4);
  bytes.writeUInt32LE(uidAt, 8);
  bytes.writeUInt32LE(sums === null ? 0 : 1, 12);
  bytes.writeUInt32LE(sums === null ? 0 : sums.head, 16);
  bytes.writeUInt32LE(sums === null ? 0 : sums.middle, 20);
  bytes.writeUInt32LE(sums === null ? 0 : sums.shift, 24);
  return bytes;
}

export function decodeVolatileSpans(bytes: Buffer): VolatileSpans {
  const word = (i: number): number => bytes.readUInt32LE(i * 4);
  const sums = word(3) === 0 ? null : { head: word(4), middle: word(5), shift: word(6) };
  return { timeAt: word(0), timeEnd: word(1), uidAt: word(2), sums };
}
