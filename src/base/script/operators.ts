/** Arithmetic, comparison and joining of values. Integers are checked against 64 bits; nothing wraps silently. */
import { I64_MAX, I64_MIN } from "../json/number.ts";
import { appended, bytesOf } from "./bytes.ts";
import { EditProblem } from "./syntax.ts";
import {
  Blob,
  Char,
  copyOf,
  display,
  equals,
  isNumber,
  Range,
  relative,
  type Spend,
  textOrder,
  typeName,
  type Value,
} from "./values.ts";

/** Strings longer than this are refused, whatever makes them. */
export const STRING_UNITS_MAX = 16 * 1024 * 1024;

export function checkedInteger(value: bigint): bigint {
  if (value > I64_MAX || value < I64_MIN) throw new EditProblem("integer overflow");
  return value;
}

export function checkedText(text: string, spend: Spend): string {
  if (text.length > STRING_UNITS_MAX) throw new EditProblem("string is too long");
  spend(text.length >>> 4);
  return text;
}

export function binary(operator: string, left: Value, right: Value, spend: Spend): Value {
  switch (operator) {
    case "==":
      return equals(left, right, spend);
    case "!=":
      return !equals(left, right, spend);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return ordered(operator, compare(left, right, spend));
    case "in":
      return contains(right, left, spend);
    case "!in":
      return !contains(right, left, spend);
    case "..":
    case "..=":
      // `start..` has no end, `..end` starts at 0.
      if (isBound(left) && isBound(right)) {
        return new Range(left ?? 0n, right ?? I64_MAX, operator === "..=");
      }
      break;
    case "&":
    case "|":
    case "^":
      if (typeof left === "boolean" && typeof right === "boolean") {
        return operator === "&" ? left && right : operator === "|" ? left || right : left !== right;
      }
      break;
  }
  if (typeof left === "bigint" && typeof right === "bigint") return integers(operator, left, right);
  if (isNumber(left) && isNumber(right)) {
    const result = floats(operator, Number(left), Number(right));
    if (result !== null) return result;
  }
  if (operator === "+") return joined(left, right, spend);
  if (operator === "-" && typeof left === "string") {
    const removed = textOf(right);
    if (removed !== null) return removed === "" ? left : left.replaceAll(removed, "");
  }
  throw new EditProblem(`operator ${operator} does not apply to ${typeName(left)} and ${typeName(right)}`);
}

function isBound(value: Value): value is bigint | null {
  return value === null || typeof value === "bigint";
}

/** The text of a string or a character. */
export function textOf(value: Value): string | null {
  if (typeof value === "string") return value;
  return value instanceof Char ? value.text : null;
}

function integers(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case "+":
      return checkedInteger(left + right);
    case "-":
      return checkedInteger(left - right);
    case "*":
      return checkedInteger(left * right);
    case "/":
    case "%":
      if (right === 0n) throw new EditProblem("division by zero");
      // The smallest integer divided by -1 is too large, and so the rest of it is refused as well.
      checkedInteger(left / right);
      return operator === "/" ? left / right : left % right;
    case "**":
      return power(left, right);
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    case "<<":
      return shifted(left, right);
    case ">>":
      return shifted(left, -right);
    default:
      throw new EditProblem(`operator ${operator} does not apply to i64 and i64`);
  }
}

function power(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new EditProblem("an integer cannot be raised to a negative power");
  const bounded = base >= -1n && base <= 1n;
  if (exponent > 0xffff_ffffn || (exponent > 64n && !bounded)) throw new EditProblem("integer overflow");
  return checkedInteger(base ** (exponent > 64n ? 2n + (exponent % 2n) : exponent));
}

/** To the left, or to the right by a negative amount; what is shifted out is gone. */
function shifted(value: bigint, by: bigint): bigint {
  if (by >= 64n) return 0n;
  return BigInt.asIntN(64, by >= 0n ? value << by : value >> (by <= -64n ? 63n : -by));
}

function floats(operator: string, left: number, right: number): number | null {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
    case "**":
      return left ** right;
    default:
      return null;
  }
}

function joined(left: Value, right: Value, spend: Spend): Value {
  if (Array.isArray(left) && Array.isArray(right)) {
    spend(left.length + right.length);
    return [...left, ...right];
  }
  if (left instanceof Blob && right instanceof Blob) {
    spend(left.bytes.length + right.bytes.length);
    return new Blob([...left.bytes, ...right.bytes]);
  }
  if (left instanceof Map && right instanceof Map) {
    spend(left.size + right.size);
    return new Map([...left, ...right]);
  }
  if (textOf(left) !== null && textOf(right) !== null) {
    return checkedText(`${textOf(left)}${textOf(right)}`, spend);
  }
  if (typeof left === "string" || typeof right === "string") {
    const textIn = (value: Value) => (value instanceof Blob ? bytesOf(value).toString("utf8") : display(value, spend));
    return checkedText(textIn(left) + textIn(right), spend);
  }
  throw new EditProblem(`operator + does not apply to ${typeName(left)} and ${typeName(right)}`);
}

/** Negative, zero or positive; null for values that have no order among them. */
export function compare(left: Value, right: Value, spend: Spend): number | null {
  if (typeof left === "bigint" && typeof right === "bigint") return left < right ? -1 : left > right ? 1 : 0;
  if (isNumber(left) && isNumber(right)) return compareFloats(relative(left, right));
  const one = textOf(left);
  const other = textOf(right);
  if (one !== null && other !== null) {
    spend(one.length >>> 6);
    return textOrder(one, other);
  }
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  // Values of different types are never in order; of these, no two are.
  if (left !== null && typeName(left) === typeName(right)) {
    throw new EditProblem(`values of type ${typeName(left)} have no order`);
  }
  return null;
}

/** What differs by no more than the precision of floats has no order; what is no number has none at all. */
function compareFloats(difference: number): number | null {
  if (Number.isNaN(difference)) return null;
  return Math.abs(difference) <= Number.EPSILON ? 0 : Math.sign(difference);
}

function ordered(operator: string, order: number | null): boolean {
  if (order === null) return false;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

export function contains(container: Value, item: Value, spend: Spend): boolean {
  if (Array.isArray(container)) {
    spend(container.length);
    return container.some((member) => equals(member, item, spend));
  }
  if (container instanceof Map && typeof item === "string") return container.has(item);
  const wanted = textOf(item);
  if (typeof container === "string" && wanted !== null) {
    spend(container.length >>> 4);
    return container.includes(wanted);
  }
  if (container instanceof Blob && typeof item === "bigint") return container.bytes.includes(item);
  if (container instanceof Range && typeof item === "bigint") return container.has(item);
  throw new EditProblem(`operator in does not apply to ${typeName(item)} and ${typeName(container)}`);
}

/** `+=` on an array appends the value, or each item of an array, and on a blob bytes; elsewhere it is `+`. */
export function combined(operator: string, left: Value, right: Value, spend: Spend): Value {
  if (operator === "+" && Array.isArray(left)) {
    const added = copyOf(right, spend);
    spend(left.length);
    return Array.isArray(added) ? [...left, ...added] : [...left, added];
  }
  if (operator === "+" && left instanceof Blob) {
    spend(left.bytes.length);
    return new Blob([...left.bytes, ...appended(right)]);
  }
  return binary(operator, left, right, spend);
}
