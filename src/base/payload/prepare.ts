/**
 * From the body of a documents request to a prepared payload: checked JSON bytes and where each document lies in them.
 * Preparing throws `malformed_payload` and nothing else; it looks at no document's content beyond its syntax.
 *
 * As one run of bytes, for the task store or a file of its own, a payload is
 *
 *   document bytes | zeros up to a multiple of 4 | ranges, u32 each | length u32 | count u32 | crc32 u32 | magic u32
 *
 * little-endian. The checksum covers all before it; the trailer is last so that a file can be written in one pass.
 */
import { Buffer, isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { DESK_BYTES_MIN } from "../document/desk.ts";
import { type ApiError, malformedPayload } from "../errors/errors.ts";
import { isSpace, JsonScanner, problemAt, utf8Problem } from "../json/validate.ts";
import { CsvProblem, convertCsv } from "./csv.ts";
import { checkDocuments } from "./quick-check.ts";
import { RangeList } from "./ranges.ts";

export type PayloadFormat = "json" | "ndjson" | "csv";

export interface PreparedPayload {
  bytes: Uint8Array;
  /** Start and end offset of each document, in order. */
  ranges: Uint32Array;
}

/** Longer diagnostics lose their middle, so that a huge value cannot flood the answer. */
const DIAGNOSTIC_BYTES_MAX = 138;
const DIAGNOSTIC_HEAD_BYTES = 50;
const DIAGNOSTIC_TAIL_BYTES = 85;

export const COMMA_BYTE = 0x2c;
const LINE_FEED = 0x0a;

const MAGIC = 0x31505253;
export const TRAILER_BYTES = 16;
/** Of these, what the checksum covers. */
export const SUMMED_TRAILER_BYTES = 8;

/** Kept: to make one takes longer than to check a small document. */
const scanner = new JsonScanner();

/** `delimiter` is the byte between CSV cells. The result may share the memory of `body`. */
export function preparePayload(
  body: Uint8Array,
  format: PayloadFormat,
  delimiter: number = COMMA_BYTE,
): PreparedPayload {
  if (format === "csv") return prepareCsv(body, delimiter);
  const quickly = body.length < DESK_BYTES_MIN ? null : prepareQuickly(body, format === "json");
  if (quickly !== null) return quickly;
  const ranges = new RangeList();
  const done = format === "json" ? readJson(body, ranges) : readNdjson(body, ranges);
  const encoding = utf8Problem(body, 0, body.length);
  if (encoding !== null && (done || encoding.offset < scanner.offset)) throw malformed(format, encoding.problem);
  if (!done) {
    throw malformed(format, problemAt(body, 0, body.length, scanner.problem, scanner.offset).problem);
  }
  return { bytes: body, ranges: ranges.finish() };
}

/** A body with nothing wrong in it; null otherwise, and for a single document, which is as soon read by the scanner. */
function prepareQuickly(body: Uint8Array, isJson: boolean): PreparedPayload | null {
  let start = 0;
  if (isJson) {
    start = skipSpace(body, 0);
    if (body[start] !== 0x5b) return null;
    start++;
  }
  const ranges = new RangeList();
  const end = isUtf8(body) ? checkDocuments(body, start, isJson, ranges) : -1;
  return end >= 0 && skipSpace(body, end) === body.length ? { bytes: body, ranges: ranges.finish() } : null;
}

function prepareCsv(body: Uint8Array, delimiter: number): PreparedPayload {
  const converted = convertCsv(body, delimiter);
  if (converted instanceof CsvProblem) throw malformed("csv", converted.problem);
  return converted;
}

/** An array of objects, or one object. False when refused: the scanner then knows why. */
function readJson(body: Uint8Array, ranges: RangeList): boolean {
  const end = body.length;
  let at = skipSpace(body, 0);
  if (body[at] === 0x5b) {
    at = skipSpace(body, at + 1);
    if (body[at] === 0x5d) return onlySpaceAfter(body, at + 1);
    for (;;) {
      at = readObject(body, at, ranges, "an object");
      if (at < 0) return false;
      at = skipSpace(body, at);
      if (at >= end) return scanner.fail("unexpected end inside an array", end) >= 0;
      if (body[at] === 0x5d) return onlySpaceAfter(body, at + 1);
      if (body[at] !== COMMA_BYTE) return scanner.fail("expected `,` or `]`", at) >= 0;
      at = skipSpace(body, at + 1);
      if (body[at] === 0x5d) return scanner.fail("trailing comma", at) >= 0;
    }
  }
  at = readObject(body, at, ranges, "an object or an array of objects");
  return at >= 0 && onlySpaceAfter(body, at);
}

/** Objects one after another; white space between them is optional. */
function readNdjson(body: Uint8Array, ranges: RangeList): boolean {
  let at = skipSpace(body, 0);
  do {
    at = readObject(body, at, ranges, "an object");
    if (at < 0) return false;
    at = skipSpace(body, at);
  } while (at < body.length);
  return true;
}

/** The offset after the object at `at`, or -1. */
function readObject(body: Uint8Array, at: number, ranges: RangeList, expected: string): number {
  const end = scanner.value(body, at, body.length);
  if (end < 0) return end;
  if (body[at] !== 0x7b) {
    return scanner.fail(`invalid type: ${describe(body, at, end)}, expected ${expected}`, end - 1);
  }
  ranges.push(at, end);
  return end;
}

function onlySpaceAfter(body: Uint8Array, at: number): boolean {
  const rest = skipSpace(body, at);
  return rest >= body.length || scanner.fail("trailing characters", rest) >= 0;
}

function skipSpace(body: Uint8Array, at: number): number {
  while (at < body.length && isSpace(body[at]!)) at++;
  return at;
}

/** A valid value in words, such as "integer `12`"; only the ends of a long one, which is all a shortened message shows. */
function describe(body: Uint8Array, start: number, end: number): string {
  const first = body[start]!;
  if (first === 0x5b) return "array";
  if (first === 0x6e) return "null";
  const edge = DIAGNOSTIC_BYTES_MAX;
  const text =
    end - start > 2 * edge
      ? decode(body, start, start + edge) + decode(body, end - edge, end)
      : decode(body, start, end);
  if (first === 0x22) return `string ${text}`;
  if (first === 0x74 || first === 0x66) return `boolean \`${text}\``;
  return /[.eE]/.test(text) ? `floating point number \`${text}\`` : `integer \`${text}\``;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}

function malformed(format: PayloadFormat, diagnostic: string): ApiError {
  return malformedPayload(format, `\`${shortened(diagnostic)}\`.`);
}

function shortened(diagnostic: string): string {
  const bytes = Buffer.from(diagnostic, "utf8");
  if (bytes.length <= DIAGNOSTIC_BYTES_MAX) return diagnostic;
  // Cuts fall between characters: back to the start of one for the head, on to the next one for the tail.
  let head = DIAGNOSTIC_HEAD_BYTES;
  while ((bytes[head]! & 0xc0) === 0x80) head--;
  let tail = bytes.length - DIAGNOSTIC_TAIL_BYTES;
  while ((bytes[tail]! & 0xc0) === 0x80) tail++;
  return `${decode(bytes, 0, head)}...${decode(bytes, tail, bytes.length)}`;
}

/** Pieces to be written one after the other; the first is the payload's own memory. */
export function encodePayload(payload: PreparedPayload): Uint8Array[] {
  const { bytes, ranges } = payload;
  const padding = new Uint8Array(-bytes.length & 3);
  const rangeBytes = new Uint8Array(ranges.buffer, ranges.byteOffset, ranges.byteLength);
  const trailer = new Uint8Array(TRAILER_BYTES);
  const view = new DataView(trailer.buffer);
  view.setUint32(0, bytes.length, true);
  view.setUint32(4, ranges.length / 2, true);
  let sum = crc32(bytes);
  for (const piece of [padding, rangeBytes, trailer.subarray(0, SUMMED_TRAILER_BYTES)]) {
    // An empty piece would start the sum anew: zlib takes its null pointer for a request of the initial value.
    if (piece.length > 0) sum = crc32(piece, sum);
  }
  view.setUint32(8, sum, true);
  view.setUint32(12, MAGIC, true);
  return [bytes, padding, rangeBytes, trailer];
}

/** The same in one piece, for what is small: the checksum of each piece takes longer than that of all. */
export function packPayload({ bytes, ranges }: PreparedPayload): Buffer {
  const rangesAt = bytes.length + (-bytes.length & 3);
  const trailerAt = rangesAt + ranges.length * 4;
  const packed = Buffer.allocUnsafe(trailerAt + TRAILER_BYTES);
  packed.set(bytes, 0);
  packed.fill(0, bytes.length, rangesAt);
  let at = rangesAt;
  for (let i = 0; i < ranges.length; i++) at = packed.writeUInt32LE(ranges[i]!, at);
  at = packed.writeUInt32LE(bytes.length, at);
  at = packed.writeUInt32LE(ranges.length / 2, at);
  at = packed.writeUInt32LE(crc32(packed.subarray(0, at)), at);
  packed.writeUInt32LE(MAGIC, at);
  return packed;
}

interface PayloadTrailer {
  /** Bytes of the documents. */
  length: number;
  /** Where the ranges begin, and behind how many bytes the trailer does. */
  rangesAt: number;
  trailerAt: number;
  /** Of all that comes before it: the trailer up to there, too. */
  sum: number;
}

/** What the last bytes of `total` say: at least those of the trailer. Throws when they are none. */
export function readTrailer(last: Uint8Array, total: number): PayloadTrailer {
  const trailerAt = total - TRAILER_BYTES;
  if (trailerAt < 0) throw new Error("payload is truncated");
  const view = new DataView(last.buffer, last.byteOffset + last.length - TRAILER_BYTES, TRAILER_BYTES);
  const length = view.getUint32(0, true);
  const rangesAt = length + (-length & 3);
  if (view.getUint32(12, true) !== MAGIC || rangesAt + view.getUint32(4, true) * 8 !== trailerAt) {
    throw new Error("payload has no valid trailer");
  }
  return { length, rangesAt, trailerAt, sum: view.getUint32(8, true) };
}

export function payloadDamage(): Error {
  return new Error("payload does not match its checksum");
}

/** Shares the memory of `encoded` where alignment allows. Throws when the bytes are not what `encodePayload` wrote. */
export function decodePayload(encoded: Uint8Array): PreparedPayload {
  const { length, rangesAt, trailerAt, sum } = readTrailer(encoded, encoded.length);
  if (crc32(encoded.subarray(0, trailerAt + SUMMED_TRAILER_BYTES)) !== sum) throw payloadDamage();
  const absolute = encoded.byteOffset + rangesAt;
  const ranges =
    absolute % 4 === 0
      ? new Uint32Array(encoded.buffer, absolute, (trailerAt - rangesAt) / 4)
      : new Uint32Array(Uint8Array.prototype.slice.call(encoded, rangesAt, trailerAt).buffer);
  return { bytes: encoded.subarray(0, length), ranges };
}

/** Each document on a line of its own, as it came, in memory that threads share. */
export function payloadLines({ bytes, ranges }: PreparedPayload): Uint8Array {
  let length = ranges.length / 2;
  for (let i = 0; i < ranges.length; i += 2) length += ranges[i + 1]! - ranges[i]!;
  const lines = new Uint8Array(new SharedArrayBuffer(length));
  let at = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    const document = bytes.subarray(ranges[i]!, ranges[i + 1]!);
    lines.set(document, at);
    at += document.length;
    lines[at++] = LINE_FEED;
  }
  return lines;
}
