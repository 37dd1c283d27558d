/** What edit scripts can do with maps: documents and the objects inside them. */
import { ByteSink } from "../../json/bytes.ts";
import { writeValue } from "../json.ts";
import { EditProblem } from "../syntax.ts";
import { namesOf, typeName, type Value } from "../values.ts";
import { type Callable, type Caller, type Entry, functionArgument, type Method, textArgument } from "./arguments.ts";
import { callFor } from "./item-calls.ts";

type Members = Map<string, Value>;
type MapMethod = Method<Members>;

/** Adds the members of another map; `replace` says whether those that are already there change. */
function merging(replace: boolean): MapMethod {
  return (self, args, _place, caller) => {
    const other = args[0] ?? null;
    if (!(other instanceof Map)) throw new EditProblem(`expected a map, found ${typeName(other)}`);
    caller.spend(other.size);
    for (const [name, value] of other) if (replace || !self.has(name)) self.set(name, value);
    return null;
  };
}

/** Calls with a name, and the member as `this` or as the second argument. */
function callWithMember(caller: Caller, callee: Callable, members: Members, name: string): Value {
  const item = {
    get: () => members.get(name) ?? null,
    set: (value: Value) => {
      members.set(name, value);
    },
  };
  return callFor(caller, callee, { item, args: [name], extras: [], at: 1 });
}

/** The members that the function says yes to, taken out if asked; or the others. */
function choosing(wanted: boolean, takeOut: boolean): MapMethod {
  return (self, args, _place, caller) => {
    const callee = functionArgument(args, 0);
    const chosen: Members = new Map();
    for (const name of namesOf(self)) {
      if ((callWithMember(caller, callee, self, name) === true) === wanted) chosen.set(name, self.get(name) ?? null);
    }
    if (takeOut) for (const name of chosen.keys()) self.delete(name);
    return chosen;
  };
}

const mapMembers: MapMethod = (self, args, _place, caller) => {
  const callee = functionArgument(args, 0);
  return new Map(namesOf(self).map((name) => [name, callWithMember(caller, callee, self, name)]));
};

const toJson: MapMethod = (self, _args, _place, caller) => {
  const out = new ByteSink();
  writeValue(self, out);
  caller.spend(out.length);
  return Buffer.from(out.view()).toString();
};

export const maps: Entry<Members>[] = [
  ["len", 0, (self) => BigInt(self.size)],
  ["is_empty", 0, (self) => self.size === 0],
  ["contains", 1, (self, args) => self.has(textArgument(args, 0))],
  ["get", 1, (self, args) => self.get(textArgument(args, 0)) ?? null],
  [
    "set",
    2,
    (self, args) => {
      self.set(textArgument(args, 0), args[1] ?? null);
      return null;
    },
  ],
  [
    "remove",
    1,
    (self, args) => {
      const name = textArgument(args, 0);
      const value = self.get(name) ?? null;
      self.delete(name);
      return value;
    },
  ],
  [
    "clear",
    0,
    (self) => {
      self.clear();
      return null;
    },
  ],
  ["mixin", 1, merging(true)],
  ["fill_with", 1, merging(false)],
  ["keys", 0, (self) => namesOf(self)],
  ["values", 0, (self) => namesOf(self).map((name) => self.get(name) ?? null)],
  ["map", 1, mapMembers],
  ["filter", 1, choosing(true, false)],
  ["drain", 1, choosing(true, true)],
  ["retain", 1, choosing(false, true)],
  ["to_json", 0, toJson],
];
