/** What edit scripts can do with the items of an array one by one, by functions they give. */
import { equals, Range, type Value } from "../values.ts";
import {
  type ArrayMethod,
  arrayArgument,
  type Callable,
  type Caller,
  type Entry,
  functionArgument,
  integerArgument,
  isCallable,
  positionWithin,
  stretchOf,
} from "./arguments.ts";
import { callFor, callWithItem, placeIn } from "./item-calls.ts";

/** What is no `true` counts as no. */
function says(caller: Caller, callee: Callable, items: Value[], position: number): boolean {
  return callWithItem(caller, callee, items, position) === true;
}

/** Takes out what is named, by a function or as a stretch, and gives it; or keeps that, and gives the rest. */
function partition(keep: boolean): ArrayMethod {
  return (self, args, _place, caller) => {
    const first = args[0] ?? null;
    let named: (position: number) => boolean;
    if (first instanceof Range || typeof first === "bigint") {
      const { start, end } = stretchOf(first instanceof Range ? args : [first, integerArgument(args, 1)], self.length);
      if (start === end) return [];
      named = (position) => position >= start && position < end;
    } else {
      const callee = functionArgument(args, 0);
      named = (position) => says(caller, callee, self, position);
    }
    const kept: Value[] = [];
    const gone: Value[] = [];
    for (let i = 0; i < self.length; i++) (named(i) === keep ? kept : gone).push(self[i] ?? null);
    self.length = 0;
    for (const item of kept) self.push(item);
    return gone;
  };
}

function folding(backwards: boolean): ArrayMethod {
  return (self, args, _place, caller) => {
    const callee = functionArgument(args, 0);
    let result: Value = args[1] ?? null;
    for (let i = 0; i < self.length; i++) {
      const at = backwards ? self.length - 1 - i : i;
      result = callFor(caller, callee, { item: placeIn(self, at), args: [result], extras: [BigInt(at)], at: 1 });
    }
    return result;
  };
}

/** The position of the first that fits, from a start on: by equality, or by what a function says of it. */
function positionOf(self: Value[], args: Value[], caller: Caller): number {
  const wanted = args[0] ?? null;
  const start = args.length > 1 ? positionWithin(integerArgument(args, 1), self.length) : 0;
  for (let i = start; i < self.length; i++) {
    const fits = isCallable(wanted) ? says(caller, wanted, self, i) : equals(self[i] ?? null, wanted, caller.spend);
    if (fits) return i;
  }
  return -1;
}

const findMap: ArrayMethod = (self, args, _place, caller) => {
  const callee = functionArgument(args, 0);
  const start = args.length > 1 ? positionWithin(integerArgument(args, 1), self.length) : 0;
  for (let i = start; i < self.length; i++) {
    const value = callWithItem(caller, callee, self, i);
    if (value !== null) return value;
  }
  return null;
};

const zip: ArrayMethod = (self, args, _place, caller) => {
  const other = arrayArgument(args, 0);
  const callee = functionArgument(args, 1);
  return self.slice(0, other.length).map((item, i) => {
    const pair = [item, other[i] ?? null];
    return caller.invoke(callee, caller.accepts(callee, 2) ? pair : [...pair, BigInt(i)]);
  });
};

export const arrayWalks: Entry<Value[]>[] = [
  [
    "for_each",
    1,
    (self, args, _place, caller) => {
      const callee = functionArgument(args, 0);
      for (let i = 0; i < self.length; i++) {
        callFor(caller, callee, { item: placeIn(self, i), args: [], extras: [BigInt(i)], at: null });
      }
      return null;
    },
  ],
  [
    "map",
    1,
    (self, args, _place, caller) => {
      const callee = functionArgument(args, 0);
      return self.map((_item, i) => callWithItem(caller, callee, self, i));
    },
  ],
  [
    "filter",
    1,
    (self, args, _place, caller) => {
      const callee = functionArgument(args, 0);
      return self.filter((_item, i) => says(caller, callee, self, i));
    },
  ],
  ["index_of", [1, 2], (self, args, _place, caller) => BigInt(positionOf(self, args, caller))],
  [
    "find",
    [1, 2],
    (self, args, _place, caller) => {
      functionArgument(args, 0);
      const position = positionOf(self, args, caller);
      return position === -1 ? null : (self[position] ?? null);
    },
  ],
  ["find_map", [1, 2], findMap],
  [
    "some",
    1,
    (self, args, _place, caller) => {
      const callee = functionArgument(args, 0);
      return self.some((_item, i) => says(caller, callee, self, i));
    },
  ],
  [
    "all",
    1,
    (self, args, _place, caller) => {
      const callee = functionArgument(args, 0);
      return self.every((_item, i) => says(caller, callee, self, i));
    },
  ],
  ["reduce", [1, 2], folding(false)],
  ["reduce_rev", [1, 2], folding(true)],
  ["zip", 2, zip],
  ["drain", [1, 2], partition(false)],
  ["retain", [1, 2], partition(true)],
];
