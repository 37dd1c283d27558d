/** What edit scripts can do with integers and floats. */
import { integerArgument, type Method, type Methods } from "./arguments.ts";
import { binary, checkedInteger, compare } from "./operators.ts";
import { EditProblem } from "./syntax.ts";
import { typeName, type Value } from "./values.ts";

type Num = bigint | number;

/** Floats go through `change`; integers are already whole. */
function whole(change: (value: number) => number): Method<Num> {
  return (self) => (typeof self === "bigint" ? self : change(self));
}

function toInteger(value: Num): bigint {
  if (typeof value === "bigint") return value;
  if (!Number.isFinite(value)) throw new EditProblem("integer overflow");
  return checkedInteger(BigInt(Math.trunc(value)));
}

function extreme(sign: number): Method<Num> {
  return (self, args, _place, caller) => {
    const other: Value = args[0] ?? null;
    const order = compare(self, other, caller.spend);
    if (order === null) throw new EditProblem(`a number has no order with ${typeName(other)}`);
    return order * sign >= 0 ? self : other;
  };
}

function isOdd(self: Num): boolean {
  return toInteger(self) % 2n !== 0n;
}

/** Half away from zero. */
function round(self: Num, args: Value[]): Value {
  if (typeof self === "bigint") return self;
  const scale = args.length > 0 ? 10 ** Number(integerArgument(args, 0)) : 1;
  return (Math.sign(self) * Math.round(Math.abs(self) * scale)) / scale;
}

export const numberMethods: Methods<Num> = new Map<string, Method<Num>>([
  ["abs", (self) => (typeof self === "bigint" ? (self < 0n ? checkedInteger(-self) : self) : Math.abs(self))],
  ["sign", (self) => BigInt(Math.sign(Number(self)))],
  ["floor", whole(Math.floor)],
  ["ceiling", whole(Math.ceil)],
  ["int", whole(Math.trunc)],
  ["fraction", (self) => (typeof self === "bigint" ? 0n : self - Math.trunc(self))],
  ["round", round],
  ["sqrt", (self) => Math.sqrt(Number(self))],
  ["to_int", toInteger],
  ["to_float", (self) => Number(self)],
  ["is_zero", (self) => Number(self) === 0],
  ["is_odd", isOdd],
  ["is_even", (self) => !isOdd(self)],
  ["is_nan", (self) => Number.isNaN(Number(self))],
  ["min", extreme(-1)],
  ["max", extreme(1)],
  ["pow", (self, args, _place, caller) => binary("**", self, args[0] ?? null, caller.spend)],
]);
