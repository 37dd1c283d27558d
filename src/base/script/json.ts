/** Values of edit scripts, from and to JSON. */

import type { ByteSink } from "../json/bytes.ts";
import { ARRAY_END, ARRAY_START, FALSE, JsonCursor, KEY, NUMBER, OBJECT_START, STRING, TRUE } from "../json/cursor.ts";
import { doubleText } from "../json/number.ts";
import { JsonScanner } from "../json/validate.ts";
import { limits } from "../limits.ts";
import { EditProblem } from "./syntax.ts";
import { Blob, Char, isNumber, typeName, type Value } from "./values.ts";

/** The value whose first token was just read. */
export function readValue(cursor: JsonCursor, token: number): Value {
  switch (token) {
    case OBJECT_START: {
      const map = new Map<string, Value>();
      while (cursor.next() === KEY) {
        const name = cursor.text();
        map.set(name, readValue(cursor, cursor.next()));
      }
      return map;
    }
    case ARRAY_START: {
      const items: Value[] = [];
      for (let inner = cursor.next(); inner !== ARRAY_END; inner = cursor.next()) items.push(readValue(cursor, inner));
      return items;
    }
    case STRING:
      return cursor.text();
    case NUMBER: {
      const text = cursor.text();
      return /^-?\d{1,20}$/.test(text) && text !== "-0" ? BigInt(text) : Number(text);
    }
    case TRUE:
      return true;
    case FALSE:
      return false;
    default:
      return null;
  }
}

/** Appends the value as JSON. Throws EditProblem for what JSON cannot say. */
export function writeValue(value: Value, out: ByteSink): void {
  if (out.length > limits.payloadBytes) throw new EditProblem("the document becomes too large");
  if (value === null) {
    out.ascii("null");
  } else if (Array.isArray(value)) {
    out.byte(0x5b);
    value.forEach((item, i) => {
      if (i > 0) out.byte(0x2c);
      writeValue(item, out);
    });
    out.byte(0x5d);
  } else if (value instanceof Blob) {
    writeValue(value.bytes, out);
  } else if (value instanceof Map) {
    out.byte(0x7b);
    let first = true;
    for (const [name, member] of value) {
      if (!first) out.byte(0x2c);
      first = false;
      out.utf8(JSON.stringify(name));
      out.byte(0x3a);
      writeValue(member, out);
    }
    out.byte(0x7d);
  } else if (value instanceof Char) {
    out.utf8(JSON.stringify(value.text));
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new EditProblem(`a document cannot hold the number ${value}`);
    out.ascii(doubleText(value));
  } else if (typeof value === "string") {
    out.utf8(JSON.stringify(value));
  } else if (typeof value === "boolean" || isNumber(value)) {
    out.ascii(String(value));
  } else {
    throw new EditProblem(`a document cannot hold a value of type ${typeName(value)}`);
  }
}

/** `parse_json(text)`: the value that a text in JSON says. */
export function parseJson(text: string): Value {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner();
  const end = scanner.value(bytes, 0, bytes.length);
  if (end < 0) throw new EditProblem(`not JSON: ${scanner.problem}`);
  if (bytes.subarray(end).toString().trim() !== "") throw new EditProblem("not JSON: more than one value");
  const cursor = new JsonCursor();
  cursor.reset(bytes, 0, end);
  return readValue(cursor, cursor.next());
}
