/** Ranges of numbers, and what edit scripts can ask of them. */
import { EditProblem } from "../syntax.ts";
import { isNumber, Range, Steps, type Value } from "../values.ts";
import { type Entry, wrongArgument } from "./arguments.ts";

/** `range(from, to)`, `range(from, to, step)`, `range(from..to, step)`. */
export function makeRange(args: Value[]): Value {
  const [first = null, second = null, third = null] = args;
  if (first instanceof Range) return steps(first.start, first.limit, second);
  if (args.length > 2) return steps(first, second, third);
  if (typeof first === "bigint" && typeof second === "bigint") return new Range(first, second, false);
  throw wrongArgument("two integers", typeof first === "bigint" ? second : first);
}

function steps(from: Value, to: Value, step: Value): Value {
  for (const value of [from, to, step]) {
    if (!isNumber(value) || typeof value !== typeof from) throw wrongArgument("numbers of one type", value);
  }
  if (Number(step) === 0) throw new EditProblem("the step of a range cannot be zero");
  return new Steps(from as number, to as number, step as number);
}

export const ranges: Entry<Range>[] = [
  ["start", 0, (self) => self.start],
  ["end", 0, (self) => self.end],
  ["is_inclusive", 0, (self) => self.inclusive],
  ["is_exclusive", 0, (self) => !self.inclusive],
  ["is_empty", 0, (self) => self.start >= self.limit],
  ["contains", 1, (self, args) => self.has(args[0] ?? null)],
];
