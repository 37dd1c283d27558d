/** What built-in functions are, and how they read their arguments. */
import type { Place } from "./places.ts";
import { EditProblem } from "./syntax.ts";
import { Closure, Range, type Spend, typeName, type Value } from "./values.ts";

/** What a built-in function may ask of the running script. */
export interface Caller {
  readonly spend: Spend;
  invoke(callee: Value, args: Value[]): Value;
}

/** `self` is the first argument, already of the right type; `place` is where it is kept. */
export type Method<T> = (self: T, args: Value[], place: Place, caller: Caller) => Value;
export type Methods<T> = ReadonlyMap<string, Method<T>>;

export function textArgument(args: Value[], which: number): string {
  const value = args[which] ?? null;
  if (typeof value !== "string") throw wrongArgument("a string", value);
  return value;
}

export function integerArgument(args: Value[], which: number): bigint {
  const value = args[which] ?? null;
  if (typeof value !== "bigint") throw wrongArgument("an integer", value);
  return value;
}

export function closureArgument(args: Value[], which: number): Closure {
  const value = args[which] ?? null;
  if (!(value instanceof Closure)) throw wrongArgument("a closure", value);
  return value;
}

export function isTrue(value: Value): boolean {
  if (typeof value !== "boolean") throw wrongArgument("a bool from the closure", value);
  return value;
}

function wrongArgument(expected: string, found: Value): EditProblem {
  return new EditProblem(`expected ${expected}, found ${typeName(found)}`);
}

/** A position in something of that length: negative ones count from the end; out of bounds is held at the bounds. */
export function positionWithin(index: bigint, length: number): number {
  const from = index < 0n ? BigInt(length) + index : index;
  if (from < 0n) return 0;
  return from > BigInt(length) ? length : Number(from);
}

/** The stretch that `(start)`, `(start, length)` or `(range)` names. */
export function stretchOf(args: Value[], length: number): { start: number; end: number } {
  const first = args[0] ?? null;
  if (first instanceof Range) {
    const start = positionWithin(first.start, length);
    return { start, end: Math.max(start, positionWithin(first.end, length)) };
  }
  const start = positionWithin(integerArgument(args, 0), length);
  if (args.length < 2) return { start, end: length };
  const count = integerArgument(args, 1);
  return { start, end: count <= 0n ? start : positionWithin(BigInt(start) + count, length) };
}
