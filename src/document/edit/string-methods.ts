/** What edit scripts can do with strings. Positions and lengths count characters (code points). */
import {
  type Caller,
  integerArgument,
  type Method,
  type Methods,
  positionWithin,
  stretchOf,
  textArgument,
} from "./arguments.ts";
import { checkedText, STRING_UNITS_MAX } from "./operators.ts";
import { EditProblem } from "./syntax.ts";
import { display, type Value } from "./values.ts";

type StringMethod = Method<string>;

const charactersOf = (text: string): string[] => [...text];

/** A method that leaves a new text in the place of the old one. */
function inPlace(change: (self: string, args: Value[], caller: Caller) => string): StringMethod {
  return (self, args, place, caller) => {
    place.set(checkedText(change(self, args, caller), caller.spend));
    return null;
  };
}

function parseInteger(text: string, radix: number): bigint {
  const digits = text.trim();
  const value = Number.parseInt(digits, radix);
  if (!/^[+-]?[0-9a-zA-Z]+$/.test(digits) || Number.isNaN(value)) {
    throw new EditProblem(`${JSON.stringify(text)} is not an integer`);
  }
  return radix === 10 && /^[+-]?\d+$/.test(digits) ? BigInt(digits.replace(/^\+/, "")) : BigInt(value);
}

function parseFloatText(text: string): number {
  const value = Number(text.trim());
  if (text.trim() === "" || Number.isNaN(value)) throw new EditProblem(`${JSON.stringify(text)} is not a number`);
  return value;
}

/** Every occurrence; refused before it is built when the result would be too long. */
function replaced(self: string, found: string, by: string): string {
  const times = self.split(found).length + 1;
  if (self.length + times * by.length > STRING_UNITS_MAX) throw new EditProblem("string is too long");
  return self.replaceAll(found, () => by);
}

function split(self: string, args: Value[]): Value {
  if (args.length === 0) return self.split(/\s+/u).filter((part) => part !== "");
  if (typeof args[0] === "bigint") {
    const characters = charactersOf(self);
    const at = positionWithin(args[0], characters.length);
    return [characters.slice(0, at).join(""), characters.slice(at).join("")];
  }
  const separator = textArgument(args, 0);
  const parts = self.split(separator);
  if (args.length < 2) return parts;
  const count = Number(integerArgument(args, 1));
  if (count < 1 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

export const stringMethods: Methods<string> = new Map<string, StringMethod>([
  ["len", (self) => BigInt(charactersOf(self).length)],
  ["bytes", (self) => BigInt(new TextEncoder().encode(self).length)],
  ["is_empty", (self) => self === ""],
  ["to_upper", (self) => self.toUpperCase()],
  ["to_lower", (self) => self.toLowerCase()],
  ["make_upper", inPlace((self) => self.toUpperCase())],
  ["make_lower", inPlace((self) => self.toLowerCase())],
  ["trim", inPlace((self) => self.trim())],
  ["clear", inPlace(() => "")],
  ["contains", (self, args) => self.includes(textArgument(args, 0))],
  ["starts_with", (self, args) => self.startsWith(textArgument(args, 0))],
  ["ends_with", (self, args) => self.endsWith(textArgument(args, 0))],
  ["replace", inPlace((self, args) => replaced(self, textArgument(args, 0), textArgument(args, 1)))],
  ["remove", inPlace((self, args) => self.replaceAll(textArgument(args, 0), ""))],
  ["append", inPlace((self, args, caller) => self + display(args[0] ?? null, caller.spend))],
  [
    "truncate",
    inPlace((self, args) =>
      charactersOf(self)
        .slice(0, positionWithin(integerArgument(args, 0), self.length))
        .join(""),
    ),
  ],
  [
    "pad",
    inPlace((self, args) => {
      const missing = Number(integerArgument(args, 0)) - charactersOf(self).length;
      const filler = charactersOf(textArgument(args, 1));
      if (missing <= 0 || filler.length === 0) return self;
      if (missing > 1_000_000) throw new EditProblem("string is too long");
      return self + filler.join("").repeat(Math.ceil(missing / filler.length));
    }),
  ],
  [
    "crop",
    inPlace((self, args) => {
      const characters = charactersOf(self);
      const { start, end } = stretchOf(args, characters.length);
      return characters.slice(start, end).join("");
    }),
  ],
  [
    "sub_string",
    (self, args) => {
      const characters = charactersOf(self);
      const { start, end } = stretchOf(args, characters.length);
      return characters.slice(start, end).join("");
    },
  ],
  [
    "index_of",
    (self, args) => {
      const characters = charactersOf(self);
      const from = args.length > 1 ? positionWithin(integerArgument(args, 1), characters.length) : 0;
      const found = self.indexOf(textArgument(args, 0), characters.slice(0, from).join("").length);
      return found === -1 ? -1n : BigInt(charactersOf(self.slice(0, found)).length);
    },
  ],
  ["split", split],
  ["chars", charactersOf],
  ["to_chars", charactersOf],
  ["get", (self, args) => charactersOf(self).at(Number(integerArgument(args, 0))) ?? null],
  ["parse_int", (self, args) => parseInteger(self, args.length > 0 ? Number(integerArgument(args, 0)) : 10)],
  ["parse_float", parseFloatText],
  ["to_int", (self) => parseInteger(self, 10)],
  ["to_float", parseFloatText],
]);
