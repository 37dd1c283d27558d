/** What edit scripts can do with functions they hold: closures, and functions by name. */
import { Closure, Named, type Value } from "../values.ts";
import type { Callable, Entry } from "./arguments.ts";

/** The function with its first arguments already given. */
function curried(self: Callable, args: Value[]): Callable {
  const given = [...self.curried, ...args];
  return self instanceof Named
    ? new Named(self.name, given)
    : new Closure(self.parameters, self.body, self.scope, given);
}

export const functions: Entry<Callable>[] = [
  ["name", 0, (self) => (self instanceof Named ? self.name : "")],
  ["is_anonymous", 0, (self) => self instanceof Closure],
  ["call", [0, 16], (self, args, _place, caller) => caller.invoke(self, args)],
  ["curry", [0, 16], curried],
];
