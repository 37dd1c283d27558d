/** Parts of strings: where something is in them, and how they are cut. Positions count characters (code points). */
import { Char, type Value } from "../values.ts";
import { integerArgument, positionWithin, stretchOf, textArgument } from "./arguments.ts";

export const charactersOf = (text: string): string[] => [...text];

/** The part that `(start)`, `(start, length)` or `(range)` names. */
export function cropped(self: string, args: Value[]): string {
  const characters = charactersOf(self);
  const { start, end } = stretchOf(args, characters.length);
  return characters.slice(start, end).join("");
}

/** The same, as an array of characters. */
export function charsOf(self: string, args: Value[]): Value {
  return charactersOf(args.length === 0 ? self : cropped(self, args)).map((character) => new Char(character));
}

/** The position of a text from a start on; -1 when it is not there, or the start is behind the end. */
export function positionOf(self: string, args: Value[]): Value {
  const wanted = textArgument(args, 0);
  const characters = charactersOf(self);
  const from = args.length > 1 ? integerArgument(args, 1) : 0n;
  if (self === "" || from >= characters.length) return -1n;
  const skipped = characters.slice(0, positionWithin(from, characters.length)).join("").length;
  const found = self.indexOf(wanted, skipped);
  return found === -1 ? -1n : BigInt(charactersOf(self.slice(0, found)).length);
}

/** `split()` at blanks, `split(position)`, `split(separator)`, `split(separator, parts at most)`. */
export function split(self: string, args: Value[]): Value {
  if (args.length === 0) {
    return self === "" ? [""] : self.split(/\p{White_Space}+/u).filter((part) => part !== "");
  }
  if (typeof args[0] === "bigint") {
    const characters = charactersOf(self);
    const at = args[0] === 0n ? characters.length : positionWithin(args[0], characters.length);
    return [characters.slice(0, at).join(""), characters.slice(at).join("")];
  }
  const separator = textArgument(args, 0);
  return atMost(
    self,
    args,
    separator,
    () => pieces(self, separator),
    (rest) => rest.join(separator),
  );
}

/** The same from the end: the last part comes first. */
export function splitBackwards(self: string, args: Value[]): Value {
  const separator = textArgument(args, 0);
  return atMost(
    self,
    args,
    separator,
    () => piecesFromEnd(self, separator),
    (rest) => rest.reverse().join(separator),
  );
}

/** Holds the number of parts at what is asked for: the last one is all the rest. */
function atMost(
  self: string,
  args: Value[],
  separator: string,
  cut: () => string[],
  join: (rest: string[]) => string,
): string[] {
  const most = args.length > 1 ? integerArgument(args, 1) : null;
  if ((most !== null && most <= 1n) || self === "" || !self.includes(separator)) return [self];
  const parts = cut();
  if (most === null || most >= parts.length) return parts;
  const kept = Number(most) - 1;
  return [...parts.slice(0, kept), join(parts.slice(kept))];
}

/** Nothing as a separator is found before, between and behind all characters. */
function pieces(self: string, separator: string): string[] {
  return separator === "" ? ["", ...charactersOf(self), ""] : self.split(separator);
}

function piecesFromEnd(self: string, separator: string): string[] {
  if (separator === "") return pieces(self, separator).reverse();
  const parts: string[] = [];
  let end = self.length;
  for (;;) {
    const found = end < separator.length ? -1 : self.lastIndexOf(separator, end - separator.length);
    if (found === -1) return [...parts, self.slice(0, end)];
    parts.push(self.slice(found + separator.length, end));
    end = found;
  }
}
