/**
 * How functions are called for each item of an array or member of a map. What they are given depends on how many
 * parameters they have: the item comes as `this` or as an argument, and its position only to those that want it.
 */
import type { Place } from "../places.ts";
import { EditProblem } from "../syntax.ts";
import type { Value } from "../values.ts";
import type { Callable, Caller } from "./arguments.ts";

interface ItemCall {
  item: Place;
  args: Value[];
  /** Given last, to those that have a parameter left for it. */
  extras: Value[];
  /** Where among the arguments the item goes; null where it is only ever `this`. */
  at: number | null;
}

export function callFor(caller: Caller, callee: Callable, { item, args, extras, at }: ItemCall): Value {
  const plain = args.length;
  const full = plain + extras.length;
  if (caller.accepts(callee, plain)) return caller.invoke(callee, args, item);
  if (at !== null) {
    for (const given of [args, [...args, ...extras]]) {
      if (caller.accepts(callee, given.length + 1)) {
        return caller.invoke(callee, given.toSpliced(at, 0, item.get()));
      }
    }
  }
  if (caller.accepts(callee, full)) return caller.invoke(callee, [...args, ...extras], item);
  throw new EditProblem(`a function of ${at === null ? full : full + 1} parameters or fewer is expected`);
}

/** Calls with an item of an array, by its position. */
export function callWithItem(caller: Caller, callee: Callable, items: Value[], position: number): Value {
  return callFor(caller, callee, { item: placeIn(items, position), args: [], extras: [BigInt(position)], at: 0 });
}

export function placeIn(items: Value[], position: number): Place {
  return {
    get: () => items[position] ?? null,
    set: (value) => {
      items[position] = value;
    },
  };
}
