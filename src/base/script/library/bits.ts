/** Bits of integers: the lowest is the first, negative positions count from the highest. */
import { EditProblem } from "../syntax.ts";
import { Range, type Value } from "../values.ts";
import { type Entry, integerArgument, stretchOf, wrongArgument } from "./arguments.ts";

const BITS = 64;

interface BitSpan {
  start: number;
  count: number;
  /** One bit, named by its position alone. */
  single: boolean;
}

/** Which bits a position or a range names. */
export function bitsAt(index: bigint | Range): BitSpan {
  if (typeof index === "bigint") return { start: bitPosition(index), count: 1, single: true };
  if (index.start < 0n || index.start >= BITS) throw outOfBounds(index.start);
  if (index.inclusive && index.end >= BITS && index.end < 2n ** 63n - 1n) throw outOfBounds(index.end);
  const { start, end } = stretchOf([index], BITS);
  return { start, count: end - start, single: false };
}

function bitPosition(index: bigint): number {
  if (index < -BigInt(BITS) || index >= BITS) throw outOfBounds(index);
  return Number(index < 0n ? BigInt(BITS) + index : index);
}

function outOfBounds(index: bigint): EditProblem {
  return new EditProblem(`bit ${index} is out of bounds of ${BITS} bits`);
}

export function bitsOf(value: bigint, { start, count }: BitSpan): bigint {
  return BigInt.asIntN(64, BigInt.asUintN(count, value >> BigInt(start)));
}

export function withBits(value: bigint, { start, count }: BitSpan, bits: bigint): bigint {
  const mask = (2n ** BigInt(count) - 1n) << BigInt(start);
  return BigInt.asIntN(64, (value & ~mask) | ((bits << BigInt(start)) & mask));
}

/** The bits that `(range)` or `(start, count)` names. */
function spanArgument(args: Value[]): BitSpan {
  const first = args[0] ?? null;
  if (first instanceof Range) return bitsAt(new Range(first.start < 0n ? 0n : first.start, first.end, first.inclusive));
  const start = bitPosition(integerArgument(args, 0));
  const count = args.length > 1 ? integerArgument(args, 1) : BigInt(BITS);
  const most = BITS - start;
  return { start, count: count <= 0n ? 0 : count > most ? most : Number(count), single: false };
}

export const bits: Entry<bigint>[] = [
  ["get_bit", 1, (self, args) => bitsOf(self, bitsAt(integerArgument(args, 0))) === 1n],
  [
    "set_bit",
    2,
    (self, args, place) => {
      const bit = args[1] ?? null;
      if (typeof bit !== "boolean") throw wrongArgument("a bool", bit);
      place.set(withBits(self, bitsAt(integerArgument(args, 0)), BigInt(bit)));
      return null;
    },
  ],
  ["get_bits", [1, 2], (self, args) => bitsOf(self, spanArgument(args))],
  [
    "set_bits",
    [2, 3],
    (self, args, place) => {
      place.set(withBits(self, spanArgument(args.slice(0, -1)), integerArgument(args, args.length - 1)));
      return null;
    },
  ],
  [
    "bits",
    [0, 2],
    (self, args) => {
      const { start, count } = spanArgument(args.length === 0 ? [0n] : args);
      return Array.from({ length: count }, (_, i) => ((self >> BigInt(start + i)) & 1n) === 1n);
    },
  ],
];
