/** What edit scripts can do with integers. */
import { checkedInteger } from "../operators.ts";
import { EditProblem } from "../syntax.ts";
import { isNumber, type Value } from "../values.ts";
import { type Entry, type Method, wrongArgument } from "./arguments.ts";

/** In two's complement, as 64 bits. */
function digits(radix: number): Method<bigint> {
  return (self) => BigInt.asUintN(64, self).toString(radix);
}

/** The larger (1) or smaller (-1) of two numbers; a float beside an integer makes both floats. */
export function extreme(sign: number): Method<bigint | number> {
  return (self, args) => {
    const other: Value = args[0] ?? null;
    if (!isNumber(other)) throw wrongArgument("a number", other);
    const first = sign > 0 ? self >= other : self <= other;
    const chosen = first ? self : other;
    return typeof self === typeof other ? chosen : Number(chosen);
  };
}

export const integers: Entry<bigint>[] = [
  ["abs", 0, (self) => checkedInteger(self < 0n ? -self : self)],
  ["sign", 0, (self) => (self > 0n ? 1n : self < 0n ? -1n : 0n)],
  ["is_zero", 0, (self) => self === 0n],
  ["is_odd", 0, (self) => self % 2n !== 0n],
  ["is_even", 0, (self) => self % 2n === 0n],
  ["to_int", 0, (self) => self],
  ["to_float", 0, (self) => Number(self)],
  ["to_hex", 0, digits(16)],
  ["to_octal", 0, digits(8)],
  ["to_binary", 0, digits(2)],
  ["min", 1, extreme(-1)],
  ["max", 1, extreme(1)],
];

/** `parse_int("ff", 16)`: digits of that radix, with a sign or without. */
export function parseInteger(text: string, radix: bigint): bigint {
  if (radix < 2n || radix > 36n) throw new EditProblem(`${radix} is no radix: it must be between 2 and 36`);
  const form = /^([+-]?)([0-9a-z]+)$/i.exec(text.trim());
  if (form === null) throw new EditProblem(`${JSON.stringify(text)} is not an integer`);
  let value = 0n;
  for (const digit of form[2]!) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= radix) throw new EditProblem(`${JSON.stringify(text)} is not an integer`);
    value = value * radix + BigInt(worth);
    if (value > 2n ** 63n) throw new EditProblem("integer overflow");
  }
  return checkedInteger(form[1] === "-" ? -value : value);
}
