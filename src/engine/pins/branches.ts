/**
 * The ways to pass a filter, each as the values it demands:
 *
 *   (kind = shirt AND color = red) OR kind = jeans   ->   {kind=shirt, color=red}, {kind=jeans}
 *
 * Conditions other than equality demand no value. Bounded: a large filter is looked at in part, never refused.
 */
import { Buffer } from "node:buffer";
import type { Filter } from "../filter/filter.ts";
import { operandOf } from "../filter/operand.ts";

export type Branch = ReadonlySet<string>;

const DEPTH_MAX = 25;
/** Of one AND, of one OR: those behind are not looked at. */
const PARTS_MAX = 100;
/** Combinations that may be made for one filter; what would make more is not looked at. */
const COMBINATIONS_MAX = 4096;

/** An equality as a text that is the same however its value is spelled. */
export function demandOf(field: string, value: string): string {
  const { number, bytes } = operandOf({ text: value, source: value, start: 0, end: value.length });
  return `${field}=${number === null ? `"${Buffer.from(bytes)}"` : number}`;
}

export function branchesOf(filter: Filter): Branch[] {
  return new Ways().of(filter, 0).map((demands) => new Set(demands));
}

type Demands = readonly string[];

/** The only way there is, demanding nothing. */
const FREE: readonly Demands[] = [[]];

class Ways {
  #combinations = 0;

  of(filter: Filter, depth: number): readonly Demands[] {
    if (depth > DEPTH_MAX) return FREE;
    switch (filter.kind) {
      case "compare":
        return filter.operator === "=" ? [[demandOf(filter.field.text, filter.value.text)]] : FREE;
      case "in":
        if (filter.values.length === 0) return FREE;
        return filter.values.slice(0, PARTS_MAX).map((value) => [demandOf(filter.field.text, value.text)]);
      case "or":
        return filter.filters.slice(0, PARTS_MAX).flatMap((each) => this.of(each, depth + 1));
      case "and": {
        let ways = FREE;
        for (const each of filter.filters.slice(0, PARTS_MAX)) ways = this.#both(ways, this.of(each, depth + 1));
        return ways;
      }
      // Of any other condition it cannot be told beforehand, and to demand nothing is never wrong.
      default:
        return FREE;
    }
  }

  #both(left: readonly Demands[], right: readonly Demands[]): readonly Demands[] {
    if (left === FREE) return right;
    const count = left.length * right.length;
    if (right === FREE || this.#combinations + count > COMBINATIONS_MAX) return left;
    this.#combinations += count;
    return left.flatMap((a) => right.map((b) => [...a, ...b]));
  }
}
