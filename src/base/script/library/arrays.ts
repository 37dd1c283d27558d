/** What edit scripts can do with arrays, their order and their parts. */
import { compare, contains } from "../operators.ts";
import { EditProblem } from "../syntax.ts";
import { equals, textOrder, typeName, type Value } from "../values.ts";
import {
  type ArrayMethod,
  arrayArgument,
  type Caller,
  type Entry,
  functionArgument,
  integerArgument,
  positionWithin,
  sizeArgument,
  stretchOf,
} from "./arguments.ts";

/** Items an array may come to by one call. */
const ITEMS_MAX = 1_000_000;

/** Runs and gives `()`. */
function doing(change: (self: Value[], args: Value[], caller: Caller) => void): ArrayMethod {
  return (self, args, _place, caller) => {
    change(self, args, caller);
    return null;
  };
}

function replaceAll(self: Value[], items: Value[]): void {
  self.length = 0;
  for (const item of items) self.push(item);
}

/** The items in order: by what a function says of two of them, or by themselves when all are of one type. */
function inOrder(self: Value[], comparer: Value, caller: Caller): Value[] {
  caller.spend(self.length);
  if (comparer === null) return self.toSorted(naturalOrder(self, caller));
  const callee = functionArgument([comparer], 0);
  return self.toSorted((left, right) => {
    const order = caller.invoke(callee, [left, right]);
    if (typeof order === "boolean") return order ? -1 : 1;
    if (typeof order === "bigint") return order < 0n ? -1 : Number(order > 0n);
    return textOrder(typeName(left), typeName(right));
  });
}

function naturalOrder(self: Value[], caller: Caller): (left: Value, right: Value) => number {
  const type = typeName(self[0] ?? null);
  if (self.some((item) => typeName(item) !== type)) {
    throw new EditProblem("items of different types have no order among them");
  }
  if (self.length > 1 && !["i64", "f64", "char", "string", "bool", "()"].includes(type)) {
    throw new EditProblem(`items of type ${type} have no order among them`);
  }
  if (type === "f64") return (left, right) => Number(left) - Number(right) || 0;
  return (left, right) => compare(left, right, caller.spend) ?? 0;
}

function sorting(backwards: boolean): (self: Value[], args: Value[], caller: Caller) => Value[] {
  return (self, args, caller) => {
    if (!backwards) return inOrder(self, args[0] ?? null, caller);
    const order = naturalOrder(self, caller);
    caller.spend(self.length);
    return self.toSorted((left, right) => order(right, left));
  };
}

const sorted = sorting(false);
const sortedBackwards = sorting(true);

const dedup: ArrayMethod = (self, args, _place, caller) => {
  caller.spend(self.length);
  const same = args.length > 0 ? functionArgument(args, 0) : null;
  const kept: Value[] = [];
  for (const item of self) {
    const last = kept.at(-1) ?? null;
    const repeated =
      kept.length > 0 &&
      (same === null ? equals(last, item, caller.spend) : caller.invoke(same, [last, item]) === true);
    if (!repeated) kept.push(item);
  }
  replaceAll(self, kept);
  return null;
};

export const arrays: Entry<Value[]>[] = [
  ["len", 0, (self) => BigInt(self.length)],
  ["is_empty", 0, (self) => self.length === 0],
  ["get", 1, (self, args) => self[positionWithin(integerArgument(args, 0), self.length)] ?? null],
  [
    "set",
    2,
    doing((self, args) => {
      const position = positionWithin(integerArgument(args, 0), self.length);
      if (position < self.length) self[position] = args[1] ?? null;
    }),
  ],
  ["push", 1, doing((self, args) => void self.push(args[0] ?? null))],
  [
    "append",
    1,
    doing((self, args) => {
      for (const item of arrayArgument(args, 0)) self.push(item);
    }),
  ],
  [
    "insert",
    2,
    doing((self, args) => void self.splice(positionWithin(integerArgument(args, 0), self.length), 0, args[1] ?? null)),
  ],
  [
    "pad",
    2,
    doing((self, args, caller) => {
      const size = sizeArgument(args, 0, ITEMS_MAX + 1);
      if (size > ITEMS_MAX) throw new EditProblem("the array becomes too large");
      caller.spend(Math.max(0, size - self.length));
      while (self.length < size) self.push(args[1] ?? null);
    }),
  ],
  ["pop", 0, (self) => self.pop() ?? null],
  ["shift", 0, (self) => self.shift() ?? null],
  [
    "remove",
    1,
    (self, args) => {
      const index = integerArgument(args, 0);
      const position = positionWithin(index, self.length);
      if (position >= self.length || index < -BigInt(self.length)) return null;
      return self.splice(position, 1)[0] ?? null;
    },
  ],
  ["clear", 0, doing((self) => replaceAll(self, []))],
  ["truncate", 1, doing((self, args) => self.splice(sizeArgument(args, 0, self.length)))],
  ["chop", 1, doing((self, args) => self.splice(0, self.length - sizeArgument(args, 0, self.length)))],
  ["reverse", 0, doing((self) => self.reverse())],
  [
    "splice",
    [2, 3],
    doing((self, args) => {
      const { start, end } = stretchOf(args.slice(0, -1), self.length);
      replaceAll(self, [...self.slice(0, start), ...arrayArgument(args, args.length - 1), ...self.slice(end)]);
    }),
  ],
  [
    "extract",
    [1, 2],
    (self, args) => {
      const { start, end } = stretchOf(args, self.length);
      return self.slice(start, end);
    },
  ],
  ["split", 1, (self, args) => self.splice(positionWithin(integerArgument(args, 0), self.length))],
  ["contains", 1, (self, args, _place, caller) => contains(self, args[0] ?? null, caller.spend)],
  ["dedup", [0, 1], dedup],
  ["sort", [0, 1], doing((self, args, caller) => replaceAll(self, sorted(self, args, caller)))],
  ["sort_by", 1, doing((self, args, caller) => replaceAll(self, sorted(self, args, caller)))],
  ["sort_desc", 0, doing((self, args, caller) => replaceAll(self, sortedBackwards(self, args, caller)))],
  ["order", [0, 1], (self, args, _place, caller) => sorted(self, args, caller)],
  ["order_by", 1, (self, args, _place, caller) => sorted(self, args, caller)],
  ["order_desc", 0, (self, args, _place, caller) => sortedBackwards(self, args, caller)],
];
