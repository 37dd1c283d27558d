/** What the functions of the library are, and how they read their arguments. */
import { textOf } from "../operators.ts";
import type { Place } from "../places.ts";
import { EditProblem } from "../syntax.ts";
import { Closure, Named, Range, type Spend, typeName, type Value } from "../values.ts";

export type Callable = Closure | Named;

/** What a function of the library may ask of the running script. */
export interface Caller {
  readonly spend: Spend;
  /** Whether the function can be called with that many arguments. */
  accepts(callee: Callable, count: number): boolean;
  /** `self` is what the function finds under `this`. */
  invoke(callee: Callable, args: Value[], self?: Place): Value;
}

/** `self` is the first argument, already of the right type; `place` is where it is kept. */
export type Method<T> = (self: T, args: Value[], place: Place, caller: Caller) => Value;
export type ArrayMethod = Method<Value[]>;

/** A name, how many arguments there are besides the first (or at least and at most), and what it does. */
export type Entry<T> = readonly [name: string, count: number | readonly [number, number], run: Method<T>];

export function textArgument(args: Value[], which: number): string {
  const value = args[which] ?? null;
  const text = textOf(value);
  if (text === null) throw wrongArgument("a string", value);
  return text;
}

export function integerArgument(args: Value[], which: number): bigint {
  const value = args[which] ?? null;
  if (typeof value !== "bigint") throw wrongArgument("an integer", value);
  return value;
}

export function arrayArgument(args: Value[], which: number): Value[] {
  const value = args[which] ?? null;
  if (!Array.isArray(value)) throw wrongArgument("an array", value);
  return value;
}

export function functionArgument(args: Value[], which: number): Callable {
  const value = args[which] ?? null;
  if (!isCallable(value)) throw wrongArgument("a function", value);
  return value;
}

export function isCallable(value: Value): value is Callable {
  return value instanceof Closure || value instanceof Named;
}

export function wrongArgument(expected: string, found: Value): EditProblem {
  return new EditProblem(`expected ${expected}, found ${typeName(found)}`);
}

/** A position in something of that length: negative ones count from the end; out of bounds is held at the bounds. */
export function positionWithin(index: bigint, length: number): number {
  const from = index < 0n ? BigInt(length) + index : index;
  if (from < 0n) return 0;
  return from > BigInt(length) ? length : Number(from);
}

/** The stretch that `(start)`, `(start, length)` or `(range)` names. Ranges do not count from the end. */
export function stretchOf(args: Value[], length: number): { start: number; end: number } {
  const first = args[0] ?? null;
  if (first instanceof Range) {
    const start = positionWithin(first.start < 0n ? 0n : first.start, length);
    return { start, end: Math.max(start, positionWithin(first.limit < 0n ? 0n : first.limit, length)) };
  }
  const start = positionWithin(integerArgument(args, 0), length);
  if (args.length < 2) return { start, end: length };
  const count = integerArgument(args, 1);
  return { start, end: count <= 0n ? start : positionWithin(BigInt(start) + count, length) };
}

/** The size that a text or an array is to have: nothing for negative ones. */
export function sizeArgument(args: Value[], which: number, most: number): number {
  const size = integerArgument(args, which);
  if (size <= 0n) return 0;
  return size > BigInt(most) ? most : Number(size);
}
