/** What edit scripts can do with strings. Positions and lengths count characters (code points). */
import { blobOf } from "../bytes.ts";
import { checkedText, STRING_UNITS_MAX } from "../operators.ts";
import { EditProblem } from "../syntax.ts";
import { Char, display, type Value } from "../values.ts";
import { type Caller, type Entry, integerArgument, type Method, sizeArgument, textArgument } from "./arguments.ts";
import { textExtreme } from "./chars.ts";
import { parseDecimal } from "./floats.ts";
import { parseInteger } from "./integers.ts";
import { charactersOf, charsOf, cropped, positionOf, split, splitBackwards } from "./string-parts.ts";

type StringMethod = Method<string>;

/** A method that leaves a new text in the place of the old one. */
function inPlace(change: (self: string, args: Value[], caller: Caller) => string): StringMethod {
  return (self, args, place, caller) => {
    place.set(checkedText(change(self, args, caller), caller.spend));
    return null;
  };
}

function trimmed(self: string): string {
  return self.replace(/^\p{White_Space}+/u, "").replace(/\p{White_Space}+$/u, "");
}

/** Every occurrence; refused before it is built when the result would be too long. */
function replaced(self: string, found: string, by: string): string {
  if (self === "") return self;
  const parts = found === "" ? ["", ...charactersOf(self), ""] : self.split(found);
  if (self.length + parts.length * by.length > STRING_UNITS_MAX) throw new EditProblem("string is too long");
  return parts.join(by);
}

function padded(self: string, args: Value[]): string {
  const size = sizeArgument(args, 0, STRING_UNITS_MAX + 1);
  if (size > STRING_UNITS_MAX) throw new EditProblem("string is too long");
  const missing = size - charactersOf(self).length;
  const filler = charactersOf(textArgument(args, 1));
  if (missing <= 0 || filler.length === 0) return self;
  const whole = filler.join("").repeat(Math.floor(missing / filler.length));
  return self + whole + filler.slice(0, missing % filler.length).join("");
}

/** `pop()` takes the last character, `pop(count)` that many of them as a string. */
const pop: StringMethod = (self, args, place) => {
  const characters = charactersOf(self);
  const taken = args.length === 0 ? Math.min(1, characters.length) : sizeArgument(args, 0, characters.length);
  const kept = characters.length - taken;
  place.set(characters.slice(0, kept).join(""));
  const text = characters.slice(kept).join("");
  if (args.length > 0) return text;
  return text === "" ? null : new Char(text);
};

function characterAt(self: string, args: Value[]): Value {
  const character = charactersOf(self).at(Number(integerArgument(args, 0)));
  return character === undefined ? null : new Char(character);
}

function withCharacter(self: string, args: Value[]): string {
  const characters = charactersOf(self);
  const index = Number(integerArgument(args, 0));
  const at = index < 0 ? characters.length + index : index;
  return at < 0 || at >= characters.length ? self : characters.with(at, textArgument(args, 1)).join("");
}

export const strings: Entry<string>[] = [
  ["len", 0, (self) => BigInt(charactersOf(self).length)],
  ["bytes", 0, (self) => BigInt(Buffer.byteLength(self))],
  ["is_empty", 0, (self) => self === ""],
  ["to_upper", 0, (self) => self.toUpperCase()],
  ["to_lower", 0, (self) => self.toLowerCase()],
  ["make_upper", 0, inPlace((self) => self.toUpperCase())],
  ["make_lower", 0, inPlace((self) => self.toLowerCase())],
  ["trim", 0, inPlace(trimmed)],
  ["clear", 0, inPlace(() => "")],
  ["contains", 1, (self, args) => self.includes(textArgument(args, 0))],
  ["starts_with", 1, (self, args) => self.startsWith(textArgument(args, 0))],
  ["ends_with", 1, (self, args) => self.endsWith(textArgument(args, 0))],
  ["replace", 2, inPlace((self, args) => replaced(self, textArgument(args, 0), textArgument(args, 1)))],
  ["remove", 1, inPlace((self, args) => replaced(self, textArgument(args, 0), ""))],
  ["append", 1, inPlace((self, args, caller) => self + display(args[0] ?? null, caller.spend))],
  [
    "truncate",
    1,
    inPlace((self, args) =>
      charactersOf(self)
        .slice(0, sizeArgument(args, 0, self.length))
        .join(""),
    ),
  ],
  ["pad", 2, inPlace(padded)],
  ["crop", [1, 2], inPlace(cropped)],
  ["sub_string", [1, 2], cropped],
  ["index_of", [1, 2], positionOf],
  ["split", [0, 2], split],
  ["split_rev", [1, 2], splitBackwards],
  ["chars", [0, 2], charsOf],
  ["to_chars", 0, charsOf],
  ["to_blob", 0, (self) => blobOf(Buffer.from(self))],
  ["get", 1, characterAt],
  ["set", 2, inPlace(withCharacter)],
  ["pop", [0, 1], pop],
  ["min", 1, textExtreme(-1)],
  ["max", 1, textExtreme(1)],
  ["parse_int", [0, 1], (self, args) => parseInteger(self, args.length > 0 ? integerArgument(args, 0) : 10n)],
  ["parse_float", 0, (self) => parseDecimal(self)],
];
