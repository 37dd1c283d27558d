/**
 * What a document is called: the id under a primary key, and which key a first document suggests. Reads bytes that are
 * valid JSON objects; never builds an object of them.
 */

import { Buffer } from "node:buffer";
import { type ApiError, apiError } from "../errors/errors.ts";
import { END, JsonCursor, KEY, NUMBER, OBJECT_START, STRING } from "../json/cursor.ts";
import { I64_MIN, U64_MAX } from "../json/number.ts";
import { limits } from "../limits.ts";

/** How much of a document or value a message shows. */
const SHOWN_BYTES_MAX = 1024;

/** Integer texts up to this length always fit 64 bits. */
const SAFE_INTEGER_BYTES = 18;

const idByte = new Uint8Array(256);
for (const allowed of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
  idByte[allowed.charCodeAt(0)] = 1;
}

const OPENING_BRACE = 0x7b;

const cursor = new JsonCursor();

export function isValidDocumentId(text: string): boolean {
  if (text.length === 0 || text.length > limits.documentIdBytes) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 127 || idByte[unit] === 0) return false;
  }
  return true;
}

/** The id of the document in `bytes[start, end)`; dotted keys may reach into nested objects. */
export function readIdentity(
  bytes: Uint8Array,
  start: number,
  end: number,
  primaryKey: string,
): { id: string } | ApiError {
  const places: number[] = [];
  findPlaces(bytes, start, end, primaryKey, places);
  if (places.length === 0) return missingDocumentId(bytes, start, end, primaryKey);
  if (places.length > 2) {
    return apiError(
      "invalid_document_id",
      `The document holds several values under its primary key \`${primaryKey}\`: \`${shown(bytes, start, end)}\`.`,
    );
  }
  const id = idFromValue(bytes, places[0]!, places[1]!);
  return id === null ? invalidDocumentId(bytes, places[0]!, places[1]!) : { id };
}

/**
 * Start and end of every value that the key names: each split of the key at its dots is one way to name a value. One look at each
 * member, however many splits there are.
 */
function findPlaces(bytes: Uint8Array, start: number, end: number, path: string, places: number[]): void {
  /** By the length of their names; the last one when a name repeats. */
  const found = new Map<number, { start: number; end: number }>();
  cursor.reset(bytes, start, end);
  if (cursor.next() !== OBJECT_START) return;
  while (cursor.next() === KEY) {
    const name = cursor.text();
    const leads = (name.length === path.length || path[name.length] === ".") && path.startsWith(name);
    cursor.skipValue();
    if (leads) found.set(name.length, { start: cursor.start, end: cursor.end });
  }
  const whole = found.get(path.length);
  if (whole !== undefined) places.push(whole.start, whole.end);
  found.delete(path.length);
  for (const length of [...found.keys()].sort((a, b) => a - b)) {
    const outer = found.get(length)!;
    if (bytes[outer.start] === OPENING_BRACE) findPlaces(bytes, outer.start, outer.end, path.slice(length + 1), places);
  }
}

/** The id a value stands for: an integer of 64 bits or a well-formed string; null for anything else. */
export function idFromValue(bytes: Uint8Array, start: number, end: number): string | null {
  cursor.reset(bytes, start, end);
  const token = cursor.next();
  if (token === STRING) {
    const length = cursor.end - cursor.start;
    if (!cursor.escaped && (length === 0 || length > limits.documentIdBytes)) return null;
    const text = cursor.text();
    return isValidDocumentId(text) ? text : null;
  }
  return token === NUMBER ? integerId(cursor.text()) : null;
}

function integerId(text: string): string | null {
  for (let i = text.charCodeAt(0) === 0x2d ? 1 : 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x30 || unit > 0x39) return null;
  }
  // Minus zero exists only as a float.
  if (text === "-0") return null;
  if (text.length <= SAFE_INTEGER_BYTES) return text;
  const value = text.length > 20 ? null : BigInt(text);
  return value !== null && value >= I64_MIN && value <= U64_MAX ? text : null;
}

/** The one top-level name that ends in `id`, in any case. */
export function inferPrimaryKey(bytes: Uint8Array, start: number, end: number): { primaryKey: string } | ApiError {
  const candidates = new Set<string>();
  cursor.reset(bytes, start, end);
  for (let token = cursor.next(); token !== END; token = cursor.next()) {
    if (token !== KEY) continue;
    const name = cursor.text();
    if (name.toLowerCase().endsWith("id")) candidates.add(name);
    cursor.skipValue();
  }
  if (candidates.size === 0) {
    return apiError(
      "index_primary_key_no_candidate_found",
      "The primary key inference failed: no field of the first document has a name ending in `id`. " +
        "Name the primary key with the `primaryKey` parameter.",
    );
  }
  const [first, second] = [...candidates].sort();
  if (second !== undefined) {
    return apiError(
      "index_primary_key_multiple_candidates_found",
      `The primary key inference failed: ${candidates.size} fields of the first document have names ending in \`id\`, ` +
        `such as \`${first}\` and \`${second}\`. Name the primary key with the \`primaryKey\` parameter.`,
    );
  }
  return { primaryKey: first! };
}

export function missingDocumentId(bytes: Uint8Array, start: number, end: number, primaryKey: string): ApiError {
  return apiError(
    "missing_document_id",
    `The document has no value under the primary key \`${primaryKey}\`: \`${shown(bytes, start, end)}\`.`,
  );
}

export function invalidDocumentId(bytes: Uint8Array, start: number, end: number): ApiError {
  return apiError(
    "invalid_document_id",
    `The document identifier \`${shown(bytes, start, end)}\` is invalid: it must be an integer, or a string of ` +
      `1 to ${limits.documentIdBytes} bytes that holds only letters a to z, A to Z, digits, hyphens (-) and underscores (_).`,
  );
}

function shown(bytes: Uint8Array, start: number, end: number): string {
  let cut = Math.min(end, start + SHOWN_BYTES_MAX);
  while (cut < end && (bytes[cut]! & 0xc0) === 0x80) cut--;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, cut - start).toString("utf8");
  return cut < end ? `${text}...` : text;
}
