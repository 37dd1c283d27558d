/** What edit scripts can do with maps: documents and the objects inside them. */
import { type Method, type Methods, textArgument } from "./arguments.ts";
import { EditProblem } from "./syntax.ts";
import { typeName, type Value } from "./values.ts";

type MapMethod = Method<Map<string, Value>>;

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

export const mapMethods: Methods<Map<string, Value>> = new Map<string, MapMethod>([
  ["len", (self) => BigInt(self.size)],
  ["is_empty", (self) => self.size === 0],
  ["contains", (self, args) => self.has(textArgument(args, 0))],
  ["get", (self, args) => self.get(textArgument(args, 0)) ?? null],
  [
    "set",
    (self, args) => {
      self.set(textArgument(args, 0), args[1] ?? null);
      return null;
    },
  ],
  [
    "remove",
    (self, args) => {
      const name = textArgument(args, 0);
      const value = self.get(name) ?? null;
      self.delete(name);
      return value;
    },
  ],
  [
    "clear",
    (self) => {
      self.clear();
      return null;
    },
  ],
  ["mixin", merging(true)],
  ["fill_with", merging(false)],
  ["keys", (self) => [...self.keys()].sort()],
  ["values", (self) => [...self.keys()].sort().map((name) => self.get(name) ?? null)],
]);
