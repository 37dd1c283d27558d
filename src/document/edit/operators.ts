/** Arithmetic, comparison and joining of values. Integers are checked against 64 bits; nothing wraps silently. */
import { EditProblem } from "./syntax.ts";
import { copyOf, display, equals, Range, type Spend, typeName, type Value } from "./values.ts";

/** Strings longer than this are refused, whatever makes them. */
export const STRING_UNITS_MAX = 16 * 1024 * 1024;

const I64_MAX = 2n ** 63n - 1n;
const I64_MIN = -(2n ** 63n);

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
      if (typeof left === "bigint" && typeof right === "bigint") {
        return new Range(left, operator === ".." ? right : right + 1n);
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
  if (operator === "-" && typeof left === "string" && typeof right === "string") return left.replaceAll(right, "");
  throw new EditProblem(`operator ${operator} does not apply to ${typeName(left)} and ${typeName(right)}`);
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
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
      return checkedInteger(operator === "/" ? left / right : left % right);
    case "**":
      if (right < 0n) throw new EditProblem("an integer cannot be raised to a negative power");
      if (right > 64n && left !== 0n && left !== 1n && left !== -1n) throw new EditProblem("integer overflow");
      return checkedInteger(left ** (right > 64n ? right % 2n : right));
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    default:
      if (right < 0n || right > 63n) throw new EditProblem("shift by an amount out of range");
      return BigInt.asIntN(64, operator === "<<" ? left << right : left >> right);
  }
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
  if (left instanceof Map && right instanceof Map) {
    spend(left.size + right.size);
    return new Map([...left, ...right]);
  }
  if (typeof left === "string" || typeof right === "string") {
    return checkedText(display(left, spend) + display(right, spend), spend);
  }
  throw new EditProblem(`operator + does not apply to ${typeName(left)} and ${typeName(right)}`);
}

/** Negative, zero or positive; null for values that have no order among them. */
export function compare(left: Value, right: Value, spend: Spend): number | null {
  if (isNumber(left) && isNumber(right))
    return left < right ? -1 : left > right ? 1 : left === right ? 0 : eitherWay(left, right);
  if (typeof left === "string" && typeof right === "string") {
    spend(left.length >>> 6);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  return null;
}

/** An integer and a float that are equal, or a comparison with what is no number. */
function eitherWay(left: bigint | number, right: bigint | number): number | null {
  return Number(left) === Number(right) ? 0 : null;
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
  if (container instanceof Map) return typeof item === "string" && container.has(item);
  if (typeof container === "string") {
    spend(container.length >>> 4);
    return typeof item === "string" && container.includes(item);
  }
  if (container instanceof Range) return typeof item === "bigint" && item >= container.start && item < container.end;
  throw new EditProblem(`operator in does not apply to ${typeName(container)}`);
}

/** `+=` on an array appends the value, or each item of an array; elsewhere it is `+`. */
export function combined(operator: string, left: Value, right: Value, spend: Spend): Value {
  if (operator === "+" && Array.isArray(left)) {
    const added = copyOf(right, spend);
    spend(left.length);
    return Array.isArray(added) ? [...left, ...added] : [...left, added];
  }
  return binary(operator, left, right, spend);
}
