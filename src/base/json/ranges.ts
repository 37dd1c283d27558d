/** Where the parts of a JSON text lie in its bytes, which are known to be valid: for those who pass documents on as they are. */
import { Buffer } from "node:buffer";
import { ARRAY_END, ARRAY_START, JsonCursor, KEY, OBJECT_END, OBJECT_START } from "./cursor.ts";
import { JsonScanner, utf8Problem } from "./validate.ts";

export interface Range {
  start: number;
  end: number;
}

/** Null when the bytes are one JSON text and nothing else. */
export function jsonProblem(bytes: Uint8Array): string | null {
  if (utf8Problem(bytes, 0, bytes.length) !== null) return "it is not UTF-8";
  const scanner = new JsonScanner();
  let end = scanner.value(bytes, 0, bytes.length);
  if (end === -1) return `it is no JSON: ${scanner.problem}`;
  while (end < bytes.length && bytes[end]! <= 0x20) end++;
  return end < bytes.length ? "something follows it" : null;
}

/** The members of an object, in order; none of anything else. */
export function membersOf(bytes: Uint8Array, { start, end }: Range): Map<string, Range> {
  const cursor = new JsonCursor();
  cursor.reset(bytes, start, end);
  const members = new Map<string, Range>();
  if (cursor.next() !== OBJECT_START) return members;
  for (let token = cursor.next(); token === KEY; token = cursor.next()) {
    const name = cursor.text();
    cursor.skipValue();
    members.set(name, { start: cursor.start, end: cursor.end });
  }
  return members;
}

/** The objects in an array; null when there is anything else in it. */
export function objectsIn(bytes: Uint8Array, { start, end }: Range): Range[] | null {
  const cursor = new JsonCursor();
  cursor.reset(bytes, start, end);
  if (cursor.next() !== ARRAY_START) return null;
  const found: Range[] = [];
  for (let token = cursor.next(); token !== ARRAY_END; token = cursor.next()) {
    if (token !== OBJECT_START) return null;
    const elementStart = cursor.start;
    while (cursor.next() !== OBJECT_END) cursor.skipValue();
    found.push({ start: elementStart, end: cursor.end });
  }
  return found;
}

export function textIn(bytes: Uint8Array, { start, end }: Range): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}
