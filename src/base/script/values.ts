/**
 * The values of edit scripts. Integers are bigints of 64 bits, floats are numbers, `()` is null, maps are real maps: no
 * name that a document holds can reach an object of the server.
 */
import { doubleText } from "../json/number.ts";
import type { Scope } from "./scope.ts";
import type { Expression } from "./syntax.ts";

/** Charges the running script for work that grows with a value. */
export type Spend = (fuel: number) => void;

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Char
  | Blob
  | Value[]
  | Map<string, Value>
  | Closure
  | Named
  | Range
  | Steps;

/** One character, which is no string of length one. */
export class Char {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A list of bytes, which are integers from 0 to 255. */
export class Blob {
  readonly bytes: Value[];

  constructor(bytes: Value[]) {
    this.bytes = bytes;
  }
}

/** `|x| …`: a function without a name. */
export class Closure {
  readonly parameters: string[];
  readonly body: Expression;
  /** Closures see, and may change, the variables around them. */
  readonly scope: Scope;
  /** Given before the arguments of each call. */
  readonly curried: Value[];

  constructor(parameters: string[], body: Expression, scope: Scope, curried: Value[] = []) {
    this.parameters = parameters;
    this.body = body;
    this.scope = scope;
    this.curried = curried;
  }
}

/** `Fn("name")`: a function of the script or of the library, found when it is called. */
export class Named {
  readonly name: string;
  readonly curried: Value[];

  constructor(name: string, curried: Value[] = []) {
    this.name = name;
    this.curried = curried;
  }
}

/** `start..end`, or `start..=end`. */
export class Range {
  readonly start: bigint;
  readonly end: bigint;
  readonly inclusive: boolean;

  constructor(start: bigint, end: bigint, inclusive: boolean) {
    this.start = start;
    this.end = end;
    this.inclusive = inclusive;
  }

  /** The first integer behind it. */
  get limit(): bigint {
    return this.inclusive ? this.end + 1n : this.end;
  }

  has(value: Value): boolean {
    return typeof value === "bigint" && value >= this.start && value < this.limit;
  }
}

/** `range(from, to, step)`: upwards or downwards, in integers or floats; `to` itself is not part of it. */
export class Steps {
  readonly from: bigint | number;
  readonly to: bigint | number;
  readonly step: bigint | number;

  constructor(from: bigint | number, to: bigint | number, step: bigint | number) {
    this.from = from;
    this.to = to;
    this.step = step;
  }
}

export function typeName(value: Value): string {
  if (value === null) return "()";
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "map";
  if (value instanceof Char) return "char";
  if (value instanceof Blob) return "blob";
  if (value instanceof Closure || value instanceof Named) return "Fn";
  if (value instanceof Range) return value.inclusive ? "range=" : "range";
  if (value instanceof Steps) return "range with steps";
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
  if (value instanceof Blob) {
    spend(value.bytes.length);
    return new Blob([...value.bytes]);
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
  if (left instanceof Blob) return right instanceof Blob && equals(left.bytes, right.bytes, spend);
  if (left instanceof Map) {
    if (!(right instanceof Map) || left.size !== right.size) return false;
    spend(left.size);
    for (const [name, member] of left) {
      if (!right.has(name) || !equals(member, right.get(name) ?? null, spend)) return false;
    }
    return true;
  }
  if (left instanceof Range) {
    if (!(right instanceof Range) || left.inclusive !== right.inclusive) return false;
    return left.start === right.start && left.end === right.end;
  }
  if (typeof left === "number" || typeof right === "number")
    return isNumber(left) && isNumber(right) && near(left, right);
  // A character is equal to the string of it.
  const one = left instanceof Char ? left.text : left;
  if (typeof one === "string") spend(one.length >>> 6);
  return one === (right instanceof Char ? right.text : right);
}

export function isNumber(value: Value): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

/** Floats are equal when they differ by less than their precision, as the language defines it. */
function near(left: bigint | number, right: bigint | number): boolean {
  return Math.abs(relative(left, right)) <= Number.EPSILON;
}

/** By how much the left one is larger, measured by the larger of the two. */
export function relative(left: bigint | number, right: bigint | number): number {
  const x = Number(left);
  const y = Number(right);
  return (x - y) / (x * y === 0 ? 1 : Math.max(Math.abs(x), Math.abs(y)));
}

/** The order of strings is that of their UTF-8 bytes. */
export function textOrder(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Maps show their members in the order of the names. */
export function namesOf(map: Map<string, Value>): string[] {
  return [...map.keys()].sort(textOrder);
}

/** How a value reads inside a text; `quoted` for values inside arrays and maps. */
export function display(value: Value, spend: Spend, quoted = false): string {
  if (value === null) return quoted ? "()" : "";
  if (typeof value === "string") {
    spend(value.length >>> 4);
    return quoted ? JSON.stringify(value) : value;
  }
  if (value instanceof Char) return value.text;
  if (typeof value === "number") return floatText(value, quoted);
  if (Array.isArray(value)) {
    spend(value.length);
    return `[${value.map((item) => display(item, spend, true)).join(", ")}]`;
  }
  if (value instanceof Blob) {
    spend(value.bytes.length);
    const digits = Buffer.from(value.bytes.map(Number)).toString("hex");
    return `[${(digits.match(/.{1,16}/g) ?? []).join(" ")}]`;
  }
  if (value instanceof Map) {
    spend(value.size);
    const members = namesOf(value).map(
      (name) => `${JSON.stringify(name)}: ${display(value.get(name) ?? null, spend, true)}`,
    );
    return `#{${members.join(", ")}}`;
  }
  if (value instanceof Range) return `${value.start}..${value.inclusive ? "=" : ""}${value.end}`;
  if (value instanceof Named) return `Fn(${value.name})`;
  return value instanceof Closure || value instanceof Steps ? typeName(value) : String(value);
}

/** Very large and very small floats are written with an exponent, inside arrays and maps already earlier. */
function floatText(value: number, quoted: boolean): string {
  if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf");
  if (value === 0) return quoted ? doubleText(value) : "0.0";
  const size = Math.abs(value);
  const isPlain = quoted ? size >= 1e-4 && size < 1e16 : size >= 1e-7 && size < 1e13;
  return isPlain ? decimalText(value) : value.toExponential().replace("e+", "e");
}

/** All digits, where others would write an exponent. */
function decimalText(value: number): string {
  const [digits, exponent] = value.toExponential().split("e-");
  if (exponent === undefined) return doubleText(value);
  const sign = value < 0 ? "-" : "";
  return `${sign}0.${"0".repeat(Number(exponent) - 1)}${digits!.replace(/[-.]/g, "")}`;
}
