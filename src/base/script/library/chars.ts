/** What edit scripts can do with single characters. */
import { textOf } from "../operators.ts";
import { Char, textOrder, type Value } from "../values.ts";
import { type Entry, type Method, textArgument } from "./arguments.ts";

/** The character in the other case; itself where that takes more than one. */
function inCase(self: Char, changed: string): Char {
  return [...changed].length === 1 ? new Char(changed) : self;
}

const upper = (self: Char): Char => inCase(self, self.text.toUpperCase());
const lower = (self: Char): Char => inCase(self, self.text.toLowerCase());

function inPlace(change: (self: Char) => Char): Method<Char> {
  return (self, _args, place) => {
    place.set(change(self));
    return null;
  };
}

/** The larger (1) or smaller (-1) of two strings or two characters. */
export function textExtreme(sign: number): Method<string | Char> {
  return (self, args): Value => {
    const order = textOrder(textOf(self) ?? "", textArgument(args, 0)) * sign;
    return order >= 0 ? self : (args[0] ?? null);
  };
}

export const chars: Entry<Char>[] = [
  ["to_upper", 0, upper],
  ["to_lower", 0, lower],
  ["make_upper", 0, inPlace(upper)],
  ["make_lower", 0, inPlace(lower)],
  ["to_int", 0, (self) => BigInt(self.text.codePointAt(0) ?? 0)],
  ["min", 1, textExtreme(-1)],
  ["max", 1, textExtreme(1)],
];
