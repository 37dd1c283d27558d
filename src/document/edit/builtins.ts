/**
 * The functions every edit script can call, in either style: `len(x)` or `x.len()`. Found by the type of the first
 * argument; those that change it in place give `()`.
 */
import { type Caller, integerArgument, type Method } from "./arguments.ts";
import { arrayMethods } from "./array-methods.ts";
import { mapMethods } from "./map-methods.ts";
import { numberMethods } from "./number-methods.ts";
import type { Place } from "./places.ts";
import { stringMethods } from "./string-methods.ts";
import { EditProblem } from "./syntax.ts";
import { display, Range, typeName, type Value } from "./values.ts";

export function callBuiltin(name: string, receiver: Place | null, args: Value[], caller: Caller): Value {
  if (receiver === null) throw new EditProblem(`function ${name}() is not defined`);
  const self = receiver.get();
  caller.spend(costOf(self));
  switch (name) {
    case "type_of":
      return typeName(self);
    case "to_string":
    case "to_debug":
      return display(self, caller.spend, name === "to_debug");
    case "print":
    case "debug":
      return null;
    case "range":
      return new Range(integerArgument([self], 0), integerArgument(args, 0));
    case "is_shared":
      return false;
  }
  const found = methodOf(self, name);
  if (found === null) {
    const types = [self, ...args].map(typeName).join(", ");
    throw new EditProblem(`function ${name}(${types}) is not defined`);
  }
  return found(args, receiver, caller);
}

function methodOf(self: Value, name: string): ((args: Value[], place: Place, caller: Caller) => Value) | null {
  if (typeof self === "string") return bound(stringMethods.get(name), self);
  if (Array.isArray(self)) return bound(arrayMethods.get(name), self);
  if (self instanceof Map) return bound(mapMethods.get(name), self);
  if (typeof self === "bigint" || typeof self === "number") return bound(numberMethods.get(name), self);
  return null;
}

function bound<T>(
  method: Method<T> | undefined,
  self: T,
): ((args: Value[], place: Place, caller: Caller) => Value) | null {
  return method === undefined ? null : (args, place, caller) => method(self, args, place, caller);
}

/** Most functions look at all of their first argument. */
function costOf(self: Value): number {
  if (typeof self === "string") return self.length >>> 3;
  if (Array.isArray(self)) return self.length;
  return self instanceof Map ? self.size : 0;
}
