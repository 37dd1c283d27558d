/**
 * The values of edit scripts and their way from and to JSON. Integers are bigints of 64 bits, floats are numbers, `()` is
 * null, maps are real maps: no name that a document holds can reach an object of the server.
 */
import {
  ARRAY_END,
  ARRAY_START,
  FALSE,
  type JsonCursor,
  KEY,
  NUMBER,
  OBJECT_START,
  STRING,
  TRUE,
} from "../../json/cursor.ts";
import { doubleText } from "../../json/number.ts";
import { limits } from "../../limits.ts";
import type { ByteSink } from "../bytes.ts";
import type { Scope } from "./scope.ts";
import { EditProblem, type Expression } from "./syntax.ts";

/** Charges the running script for work that grows with a value. */
export type Spend = (fuel: number) => void;

export type Value = null | boolean | bigint | number | string | Value[] | Map<string, Value> | Closure | Range;

export class Closure {
  readonly parameters: string[];
  readonly body: Expression;
  /** Closures see, and may change, the variables around them. */
  readonly scope: Scope;

  constructor(parameters: string[], body: Expression, scope: Scope) {
    this.parameters = parameters;
    this.body = body;
    this.scope = scope;
  }
}

/** `start..end`, end exclusive. */
export class Range {
  readonly start: bigint;
  readonly end: bigint;

  constructor(start: bigint, end: bigint) {
    this.start = start;
    this.end = end;
  }
}

export function typeName(value: Value): string {
  if (value === null) return "()";
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "map";
  if (value instanceof Closure) return "Fn";
  if (value instanceof Range) return "range";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "i64";
    case "number":
      return "f64";
    default:
      return "string";
  }
}

/** Values are copied when stored, so that changing a copy never changes the original. */
export function copyOf(value: Value, spend: Spend): Value {
  if (Array.isArray(value)) {
    spend(value.length);
    return value.map((item) => copyOf(item, spend));
  }
  if (value instanceof Map) {
    spend(value.size);
    const copy = new Map<string, Value>();
    for (const [name, member] of value) copy.set(name, copyOf(member, spend));
    return copy;
  }
  return value;
}

export function equals(left: Value, right: Value, spend: Spend): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    spend(left.length);
    return left.every((item, i) => equals(item, right[i] ?? null, spend));
  }
  if (left instanceof Map) {
    if (!(right instanceof Map) || left.size !== right.size) return false;
    spend(left.size);
    for (const [name, member] of left) {
      if (!right.has(name) || !equals(member, right.get(name) ?? null, spend)) return false;
    }
    return true;
  }
  if (left instanceof Range) return right instanceof Range && left.start === right.start && left.end === right.end;
  // Integers and floats compare by value.
  if (typeof left === "bigint" && typeof right === "number") return Number(left) === right;
  if (typeof left === "number" && typeof right === "bigint") return left === Number(right);
  if (typeof left === "string") spend(left.length >>> 6);
  return left === right;
}

/** How a value reads inside a text; `quoted` for values inside arrays and maps. */
export function display(value: Value, spend: Spend, quoted = false): string {
  if (value === null) return quoted ? "()" : "";
  if (typeof value === "string") {
    spend(value.length >>> 4);
    return quoted ? JSON.stringify(value) : value;
  }
  if (typeof value === "number") return Number.isFinite(value) ? doubleText(value) : String(value);
  if (Array.isArray(value)) {
    spend(value.length);
    return `[${value.map((item) => display(item, spend, true)).join(", ")}]`;
  }
  if (value instanceof Map) {
    spend(value.size);
    const members = [...value].map(([name, member]) => `${JSON.stringify(name)}: ${display(member, spend, true)}`);
    return `#{${members.join(", ")}}`;
  }
  if (value instanceof Range) return `${value.start}..${value.end}`;
  return value instanceof Closure ? "Fn" : String(value);
}

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
  } else if (value instanceof Closure || value instanceof Range) {
    throw new EditProblem(`a document cannot hold a value of type ${typeName(value)}`);
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new EditProblem(`a document cannot hold the number ${value}`);
    out.ascii(doubleText(value));
  } else {
    out.utf8(typeof value === "string" ? JSON.stringify(value) : String(value));
  }
}
