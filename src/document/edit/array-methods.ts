/** What edit scripts can do with arrays. */
import {
  type Caller,
  closureArgument,
  integerArgument,
  isTrue,
  type Method,
  type Methods,
  positionWithin,
  stretchOf,
} from "./arguments.ts";
import { compare, contains } from "./operators.ts";
import { EditProblem } from "./syntax.ts";
import { Closure, equals, type Value } from "./values.ts";

type ArrayMethod = Method<Value[]>;

/** Runs and gives `()`. */
function doing(change: (self: Value[], args: Value[]) => void): ArrayMethod {
  return (self, args) => {
    change(self, args);
    return null;
  };
}

/** A closure that wants a second parameter is given the position too. */
function withPosition(closure: Closure, item: Value, position: number): Value[] {
  return closure.parameters.length > 1 ? [item, BigInt(position)] : [item];
}

/** Keeps the items the closure says yes to, in place; gives the others. */
function partition(keep: boolean): ArrayMethod {
  return (self, args, _place, caller) => {
    const closure = closureArgument(args, 0);
    const kept: Value[] = [];
    const gone: Value[] = [];
    self.forEach((item, i) => {
      const yes = isTrue(caller.invoke(closure, withPosition(closure, item, i)));
      (yes === keep ? kept : gone).push(item);
    });
    self.splice(0, self.length, ...kept);
    return gone;
  };
}

function orderOf(left: Value, right: Value, caller: Caller): number {
  const order = compare(left, right, caller.spend);
  if (order === null) throw new EditProblem("the items of the array have no order among them");
  return order;
}

const sort: ArrayMethod = (self, args, _place, caller) => {
  caller.spend(self.length);
  const closure = args.length > 0 ? closureArgument(args, 0) : null;
  self.sort((left, right) =>
    closure === null ? orderOf(left, right, caller) : Number(caller.invoke(closure, [left, right])),
  );
  return null;
};

const reduce: ArrayMethod = (self, args, _place, caller) => {
  let result: Value = args[1] ?? null;
  self.forEach((item, i) => {
    const closure = closureArgument(args, 0);
    result = caller.invoke(closure, closure.parameters.length > 2 ? [result, item, BigInt(i)] : [result, item]);
  });
  return result;
};

function search(found: (item: Value, position: number) => Value, missing: Value): ArrayMethod {
  return (self, args, _place, caller) => {
    const wanted = args[0] ?? null;
    const position = self.findIndex((item, i) =>
      wanted instanceof Closure
        ? isTrue(caller.invoke(wanted, withPosition(wanted, item, i)))
        : equals(item, wanted, caller.spend),
    );
    return position === -1 ? missing : found(self[position] ?? null, position);
  };
}

export const arrayMethods: Methods<Value[]> = new Map<string, ArrayMethod>([
  ["len", (self) => BigInt(self.length)],
  ["is_empty", (self) => self.length === 0],
  ["push", doing((self, args) => void self.push(args[0] ?? null))],
  [
    "append",
    doing((self, args) => {
      const added = args[0] ?? null;
      if (Array.isArray(added)) for (const item of added) self.push(item);
      else self.push(added);
    }),
  ],
  ["pop", (self) => self.pop() ?? null],
  ["shift", (self) => self.shift() ?? null],
  [
    "insert",
    doing((self, args) => void self.splice(positionWithin(integerArgument(args, 0), self.length), 0, args[1] ?? null)),
  ],
  [
    "remove",
    (self, args) => {
      const index = integerArgument(args, 0);
      const position = positionWithin(index, self.length);
      if (position >= self.length || index < -BigInt(self.length)) return null;
      return self.splice(position, 1)[0] ?? null;
    },
  ],
  ["get", (self, args) => self.at(Number(integerArgument(args, 0))) ?? null],
  [
    "set",
    doing((self, args) => {
      const position = positionWithin(integerArgument(args, 0), self.length);
      if (position < self.length) self[position] = args[1] ?? null;
    }),
  ],
  ["clear", doing((self) => self.splice(0, self.length))],
  ["reverse", doing((self) => self.reverse())],
  ["truncate", doing((self, args) => self.splice(positionWithin(integerArgument(args, 0), self.length)))],
  ["contains", (self, args, _place, caller) => contains(self, args[0] ?? null, caller.spend)],
  ["index_of", search((_item, position) => BigInt(position), -1n)],
  ["find", search((item) => item, null)],
  [
    "map",
    (self, args, _place, caller) => {
      const closure = closureArgument(args, 0);
      return self.map((item, i) => caller.invoke(closure, withPosition(closure, item, i)));
    },
  ],
  [
    "filter",
    (self, args, _place, caller) => {
      const closure = closureArgument(args, 0);
      return self.filter((item, i) => isTrue(caller.invoke(closure, withPosition(closure, item, i))));
    },
  ],
  [
    "for_each",
    (self, args, _place, caller) => {
      const closure = closureArgument(args, 0);
      for (const [i, item] of self.entries()) caller.invoke(closure, withPosition(closure, item, i));
      return null;
    },
  ],
  [
    "some",
    (self, args, _place, caller) => self.some((item) => isTrue(caller.invoke(closureArgument(args, 0), [item]))),
  ],
  [
    "all",
    (self, args, _place, caller) => self.every((item) => isTrue(caller.invoke(closureArgument(args, 0), [item]))),
  ],
  ["reduce", reduce],
  ["retain", partition(true)],
  ["drain", partition(false)],
  ["sort", sort],
  [
    "dedup",
    (self, _args, _place, caller) => {
      caller.spend(self.length);
      const kept = self.filter((item, i) => i === 0 || !equals(item, self[i - 1] ?? null, caller.spend));
      self.splice(0, self.length, ...kept);
      return null;
    },
  ],
  [
    "extract",
    (self, args) => {
      const { start, end } = stretchOf(args, self.length);
      return self.slice(start, end);
    },
  ],
]);
