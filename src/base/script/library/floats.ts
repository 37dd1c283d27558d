/** What edit scripts can do with floats. */
import { EditProblem } from "../syntax.ts";
import type { Value } from "../values.ts";
import { type Entry, wrongArgument } from "./arguments.ts";
import { extreme } from "./integers.ts";

const ONE_ARGUMENT: Record<string, (x: number) => number> = {
  abs: Math.abs,
  floor: Math.floor,
  ceiling: Math.ceil,
  int: Math.trunc,
  sqrt: Math.sqrt,
  exp: Math.exp,
  ln: Math.log,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asin: Math.asin,
  acos: Math.acos,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  fraction: (x) => x - Math.trunc(x),
  /** Half away from zero. */
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  to_radians: (x) => x * (Math.PI / 180),
  to_degrees: (x) => x * (180 / Math.PI),
};

function floatArgument(args: Value[]): number {
  const value = args[0] ?? null;
  if (typeof value !== "number") throw wrongArgument("a float", value);
  return value;
}

function toInteger(value: number): bigint {
  if (value > 2 ** 63 || value < -(2 ** 63)) throw new EditProblem("integer overflow");
  if (Number.isNaN(value)) return 0n;
  const whole = BigInt(Math.trunc(value));
  return whole === 2n ** 63n ? whole - 1n : whole;
}

function sign(value: number): bigint {
  if (Number.isNaN(value)) throw new EditProblem("what is no number has no sign");
  return BigInt(Math.sign(value));
}

export const floats: Entry<number>[] = [
  ...Object.entries(ONE_ARGUMENT).map(([name, run]): Entry<number> => [name, 0, (self) => run(self)]),
  ["atan", [0, 1], (self, args) => (args.length === 0 ? Math.atan(self) : Math.atan2(self, floatArgument(args)))],
  ["hypot", 1, (self, args) => Math.hypot(self, floatArgument(args))],
  [
    "log",
    [0, 1],
    (self, args) => (args.length === 0 ? Math.log10(self) : Math.log(self) / Math.log(floatArgument(args))),
  ],
  ["sign", 0, sign],
  ["is_zero", 0, (self) => self === 0],
  ["is_nan", 0, (self) => Number.isNaN(self)],
  ["is_finite", 0, (self) => Number.isFinite(self)],
  ["is_infinite", 0, (self) => Math.abs(self) === Number.POSITIVE_INFINITY],
  ["to_int", 0, toInteger],
  ["to_float", 0, (self) => self],
  ["min", 1, extreme(-1)],
  ["max", 1, extreme(1)],
];

/** `parse_float("1e3")`: decimal digits, or the names of what is no finite number. */
export function parseDecimal(text: string): number {
  const trimmed = text.trim();
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed);
  if (named !== null) {
    if (named[2]!.toLowerCase() === "nan") return Number.NaN;
    return named[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) {
    throw new EditProblem(`${JSON.stringify(text)} is not a number`);
  }
  return Number(trimmed);
}
