/** Where values are kept: variables, members of maps, items of arrays, characters of strings, bits of integers. */
import { byteOf } from "./bytes.ts";
import { positionWithin } from "./library/arguments.ts";
import { bitsAt, bitsOf, withBits } from "./library/bits.ts";
import { propertyIn } from "./library/table.ts";
import { checkedText } from "./operators.ts";
import { EditProblem } from "./syntax.ts";
import { Blob, Char, display, Range, type Spend, Steps, typeName, type Value } from "./values.ts";

/** How methods and assignments change it. */
export interface Place {
  get(): Value;
  set(value: Value): void;
}

/** A value that is kept nowhere: changes to it are lost. */
export function passing(value: Value): Place {
  let held = value;
  return {
    get: () => held,
    set: (changed) => {
      held = changed;
    },
  };
}

/** Where `?.` and `?[` of `()` lead, and whatever follows them. What is put there is lost. */
export const NOWHERE: Place = { get: () => null, set: () => {} };

export function propertyOf(outer: Place, name: string, spend: Spend): Place {
  const target = outer.get();
  if (target instanceof Map) {
    return {
      get: () => target.get(name) ?? null,
      set: (value) => {
        target.set(name, value);
      },
    };
  }
  const value = propertyIn(target, name, spend);
  if (value === undefined) throw new EditProblem(`${typeName(target)} has no property ${name}`);
  return {
    get: () => value,
    set: () => {
      throw new EditProblem(`property ${name} of ${typeName(target)} cannot change`);
    },
  };
}

export function itemOf(outer: Place, index: Value, spend: Spend): Place {
  const target = outer.get();
  if (target instanceof Map && typeof index === "string") return propertyOf(outer, index, spend);
  if (Array.isArray(target) && typeof index === "bigint") return itemOfArray(target, index);
  if (target instanceof Blob && typeof index === "bigint") return byteAt(target, index);
  if (typeof target === "string" && typeof index === "bigint") return characterOf(outer, target, index, spend);
  if (typeof target === "string" && index instanceof Range) return partOf(outer, target, index, spend);
  if (typeof target === "bigint" && (typeof index === "bigint" || index instanceof Range)) {
    return bitOf(outer, target, index);
  }
  throw new EditProblem(`${typeName(target)} cannot be indexed by ${typeName(index)}`);
}

function itemOfArray(target: Value[], index: bigint): Place {
  const at = Number(index < 0n ? BigInt(target.length) + index : index);
  if (at < 0 || at >= target.length) throw new EditProblem(`index ${index} is out of bounds of ${target.length} items`);
  return {
    get: () => target[at] ?? null,
    set: (value) => {
      target[at] = value;
    },
  };
}

function byteAt({ bytes }: Blob, index: bigint): Place {
  const { get, set } = itemOfArray(bytes, index);
  return {
    get,
    set: (value) => {
      if (typeof value !== "bigint") throw new EditProblem(`expected an integer, found ${typeName(value)}`);
      set(byteOf(value));
    },
  };
}

function characterOf(outer: Place, target: string, index: bigint, spend: Spend): Place {
  spend(target.length >>> 3);
  const characters = [...target];
  const at = Number(index < 0n ? BigInt(characters.length) + index : index);
  if (at < 0 || at >= characters.length) {
    throw new EditProblem(`index ${index} is out of bounds of ${characters.length} characters`);
  }
  return {
    get: () => new Char(characters[at]!),
    set: (value) => {
      if (!(value instanceof Char)) throw new EditProblem(`expected a char, found ${typeName(value)}`);
      outer.set(characters.with(at, value.text).join(""));
    },
  };
}

/** Both ends of the range may count from the end of the string. What is put there is the text of any value. */
function partOf(outer: Place, target: string, { start, end, inclusive }: Range, spend: Spend): Place {
  spend(target.length >>> 3);
  const characters = [...target];
  const from = positionWithin(start, characters.length);
  const to = positionWithin(end, characters.length) + Number(inclusive);
  return {
    get: () => characters.slice(from, to).join(""),
    set: (value) => {
      const text = [...characters.slice(0, from), display(value, spend), ...characters.slice(to)].join("");
      outer.set(checkedText(text, spend));
    },
  };
}

/** One bit is a bool, several are an integer. */
function bitOf(outer: Place, target: bigint, index: bigint | Range): Place {
  const span = bitsAt(index);
  return {
    get: () => (span.single ? bitsOf(target, span) === 1n : bitsOf(target, span)),
    set: (value) => {
      if (span.single ? typeof value !== "boolean" : typeof value !== "bigint") {
        throw new EditProblem(`expected ${span.single ? "a bool" : "an integer"}, found ${typeName(value)}`);
      }
      outer.set(withBits(target, span, BigInt(value as boolean | bigint)));
    },
  };
}

export function itemsOf(source: Value): Iterable<Value> {
  if (source instanceof Range) return integersOf(source.start, source.limit);
  if (source instanceof Steps) return stepsOf(source);
  if (typeof source === "string") return charactersOf(source);
  if (Array.isArray(source)) return source;
  if (source instanceof Blob) return source.bytes;
  throw new EditProblem(`cannot go through ${typeName(source)} with for`);
}

function* integersOf(start: bigint, limit: bigint): Generator<bigint> {
  for (let i = start; i < limit; i++) yield i;
}

function* charactersOf(text: string): Generator<Char> {
  for (const character of text) yield new Char(character);
}

/** A step in the wrong direction, or from a place beyond the end, leads nowhere. */
function* stepsOf({ from, to, step }: Steps): Generator<bigint | number> {
  if (typeof from === "bigint" && typeof step === "bigint") {
    for (let i = from; step > 0n ? i < to : i > to; i += step) yield i;
  } else {
    const by = Number(step);
    for (let i = Number(from); by > 0 ? i < Number(to) : i > Number(to); i += by) yield i;
  }
}
