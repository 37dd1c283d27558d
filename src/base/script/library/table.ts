/**
 * The functions every edit script can call, by the type of their first argument, in either style: `len(x)` or
 * `x.len()`. Those that change it in place give `()`.
 */

import { parseJson } from "../json.ts";
import type { Place } from "../places.ts";
import { Exit } from "../signals.ts";
import { EditProblem } from "../syntax.ts";
import { Blob, Char, display, Named, Range, type Spend, typeName, type Value } from "../values.ts";
import { type Caller, type Entry, functionArgument, isCallable, type Method, textArgument } from "./arguments.ts";
import { arrayWalks } from "./array-walks.ts";
import { arrays } from "./arrays.ts";
import { bits } from "./bits.ts";
import { blobs, makeBlob } from "./blobs.ts";
import { chars } from "./chars.ts";
import { floats } from "./floats.ts";
import { functions } from "./functions.ts";
import { integers } from "./integers.ts";
import { maps } from "./maps.ts";
import { makeRange, ranges } from "./ranges.ts";
import { strings } from "./strings.ts";

interface Described<T> {
  least: number;
  most: number;
  run: Method<T>;
}
type Methods<T> = ReadonlyMap<string, Described<T>>;

function table<T>(entries: Entry<T>[]): Methods<T> {
  return new Map(
    entries.map(([name, count, run]) => {
      const [least, most] = typeof count === "number" ? [count, count] : count;
      return [name, { least, most, run }];
    }),
  );
}

const ofStrings = table(strings);
const ofChars = table(chars);
const ofArrays = table([...arrays, ...arrayWalks]);
const ofBlobs = table(blobs);
const ofMaps = table(maps);
const ofIntegers = table([...integers, ...bits]);
const ofFloats = table(floats);
const ofRanges = table(ranges);
const ofFunctions = table(functions);

/** Functions without arguments that can also be read like properties, `x.len`; those of maps cannot. */
const PROPERTIES = new Set([
  ...["len", "is_empty", "bytes", "chars", "bits", "name", "is_anonymous"],
  ...["is_zero", "is_odd", "is_even", "is_nan", "is_finite", "is_infinite"],
  ...["floor", "ceiling", "round", "int", "fraction", "start", "end", "is_inclusive", "is_exclusive"],
]);

type Bound = (args: Value[], place: Place, caller: Caller) => Value;

/** The function of that name for such a value and that many further arguments. */
function methodOf(self: Value, name: string, count: number): Bound | null {
  if (typeof self === "string") return bound(ofStrings, self, name, count);
  if (self instanceof Char) return bound(ofChars, self, name, count);
  if (Array.isArray(self)) return bound(ofArrays, self, name, count);
  if (self instanceof Blob) return bound(ofBlobs, self, name, count);
  if (self instanceof Map) return bound(ofMaps, self, name, count);
  if (typeof self === "bigint") return bound(ofIntegers, self, name, count);
  if (typeof self === "number") return bound(ofFloats, self, name, count);
  if (self instanceof Range) return bound(ofRanges, self, name, count);
  return isCallable(self) ? bound(ofFunctions, self, name, count) : null;
}

function bound<T>(methods: Methods<T>, self: T, name: string, count: number): Bound | null {
  const found = methods.get(name);
  if (found === undefined || count < found.least || count > found.most) return null;
  return (args, place, caller) => found.run(self, args, place, caller);
}

/** The value of a property that is no member of a map; undefined when there is none. */
export function propertyIn(self: Value, name: string, spend: Spend): Value | undefined {
  if (!PROPERTIES.has(name)) return undefined;
  const found = methodOf(self, name, 0);
  if (found === null) return undefined;
  spend(costOf(self));
  return found([], readOnly(self), nobody(spend));
}

function readOnly(self: Value): Place {
  return {
    get: () => self,
    set: () => {
      throw new EditProblem("a property cannot change what it is asked of");
    },
  };
}

/** Properties call nothing. */
function nobody(spend: Spend): Caller {
  const invoke = (): never => {
    throw new EditProblem("a property calls no function");
  };
  return { spend, accepts: () => false, invoke };
}

/** Calls a function of the library; `receiver` holds its first argument, null when there is none. */
export function callBuiltin(name: string, receiver: Place | null, args: Value[], caller: Caller): Value {
  if (receiver === null) return callWithNothing(name, caller);
  const self = receiver.get();
  caller.spend(costOf(self));
  const found = methodOf(self, name, args.length) ?? generalFunction(name, self, args.length);
  if (found === null) {
    const types = [self, ...args].map(typeName).join(", ");
    throw new EditProblem(`function ${name}(${types}) is not defined`);
  }
  return found(args, receiver, caller);
}

function callWithNothing(name: string, caller: Caller): Value {
  switch (name) {
    case "blob":
      return makeBlob([], caller);
    case "PI":
      return Math.PI;
    case "E":
      return Math.E;
    case "print":
    case "debug":
      return null;
    case "exit":
      throw new Exit();
    default:
      throw new EditProblem(`function ${name}() is not defined`);
  }
}

/** What works on values of every type. */
const GENERAL: Record<string, { most: number; run: Method<Value> }> = {
  type_of: { most: 0, run: (self) => typeName(self) },
  to_string: { most: 0, run: (self, _args, _place, caller) => display(self, caller.spend) },
  to_debug: { most: 0, run: (self, _args, _place, caller) => display(self, caller.spend, true) },
  print: { most: 0, run: () => null },
  debug: { most: 0, run: () => null },
  is_shared: { most: 0, run: () => false },
  blob: { most: 1, run: (self, args, _place, caller) => makeBlob([self, ...args], caller) },
  range: { most: 2, run: (self, args) => makeRange([self, ...args]) },
  Fn: { most: 0, run: (self) => new Named(textArgument([self], 0)) },
  parse_json: { most: 0, run: (self) => parseJson(textArgument([self], 0)) },
  /** `x.call(f, …)`: the function finds `x` under `this`. */
  call: {
    most: 16,
    run: (_self, args, place, caller) => caller.invoke(functionArgument(args, 0), args.slice(1), place),
  },
  /** Leaves `()` where the value was. */
  take: {
    most: 0,
    run: (self, _args, place) => {
      place.set(null);
      return self;
    },
  },
  exit: {
    most: 0,
    run: () => {
      throw new Exit();
    },
  },
};

function generalFunction(name: string, self: Value, count: number): Bound | null {
  const found = Object.hasOwn(GENERAL, name) ? GENERAL[name] : undefined;
  if (found === undefined || count > found.most) return null;
  return (args, place, caller) => found.run(self, args, place, caller);
}

/** Most functions look at all of their first argument. */
function costOf(self: Value): number {
  if (typeof self === "string") return self.length >>> 3;
  if (Array.isArray(self)) return self.length;
  if (self instanceof Blob) return self.bytes.length;
  return self instanceof Map ? self.size : 0;
}
