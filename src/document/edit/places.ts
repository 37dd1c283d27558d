/** Where values are kept: variables, members of maps, items of arrays, characters of strings. */
import { EditProblem } from "./syntax.ts";
import { display, Range, type Spend, typeName, type Value } from "./values.ts";

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
  if ((typeof target === "string" || Array.isArray(target)) && (name === "len" || name === "is_empty")) {
    spend(target.length >>> 3);
    const length = typeof target === "string" ? [...target].length : target.length;
    return passing(name === "len" ? BigInt(length) : length === 0);
  }
  throw new EditProblem(`${typeName(target)} has no property ${name}`);
}

export function itemOf(outer: Place, index: Value, spend: Spend): Place {
  const target = outer.get();
  if (target instanceof Map && typeof index === "string") return propertyOf(outer, index, spend);
  if (Array.isArray(target) && typeof index === "bigint") {
    const at = Number(index < 0n ? BigInt(target.length) + index : index);
    if (at < 0 || at >= target.length)
      throw new EditProblem(`index ${index} is out of bounds of ${target.length} items`);
    return {
      get: () => target[at] ?? null,
      set: (value) => {
        target[at] = value;
      },
    };
  }
  if (typeof target === "string" && typeof index === "bigint") {
    spend(target.length >>> 3);
    const characters = [...target];
    const at = Number(index < 0n ? BigInt(characters.length) + index : index);
    if (at < 0 || at >= characters.length) {
      throw new EditProblem(`index ${index} is out of bounds of ${characters.length} characters`);
    }
    return {
      get: () => characters[at]!,
      set: (value) => outer.set(characters.with(at, display(value, spend)).join("")),
    };
  }
  throw new EditProblem(`${typeName(target)} cannot be indexed by ${typeName(index)}`);
}

export function itemsOf(source: Value): Iterable<Value> {
  if (source instanceof Range) return integersOf(source);
  if (Array.isArray(source) || typeof source === "string") return source;
  throw new EditProblem(`cannot go through ${typeName(source)} with for`);
}

function* integersOf(range: Range): Generator<bigint> {
  for (let i = range.start; i < range.end; i++) yield i;
}
