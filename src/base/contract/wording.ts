/**
 * The grammar of validation messages, shared by bodies and query strings: kinds of values, lists of names, hints.
 * Words only; what is refused and with which code is decided by the callers.
 */
import type { Json } from "../json/value.ts";

/** Longest piece of a refused value that a message repeats. */
const QUOTED_CHARS_MAX = 300;

/** Whole numbers that do not fit into 64 bits count as decimals. */
export function isWhole(value: Json): value is number {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 64;
}

export function kindOf(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return "a boolean";
  if (typeof value === "string") return "a string";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (!isWhole(value)) return "a number";
  return value < 0 ? "a negative integer" : "a positive integer";
}

export function quoteValue(value: Json): string {
  const text = JSON.stringify(value);
  return `\`${text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}…` : text}\``;
}

export function quoteNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** `a`, `a or b`, `a, b, or c`. */
export function alternatives(kinds: readonly string[]): string {
  if (kinds.length < 3) return kinds.join(" or ");
  return `${kinds.slice(0, -1).join(", ")}, or ${kinds.at(-1)}`;
}

/** `did you mean ...? expected one of ...`, the hint only when a known name is near enough. */
export function expectedOneOf(received: string, known: readonly string[]): string {
  const near = nearest(received, known);
  const hint = near === null ? "" : `did you mean \`${near}\`? `;
  return `${hint}expected one of ${quoteNames(known)}`;
}

function nearest(received: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = editsAllowed(received.length) + 1;
  for (const name of known) {
    if (Math.abs(name.length - received.length) >= bestDistance) continue;
    const distance = editDistance(received, name);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function editsAllowed(length: number): number {
  if (length <= 3) return 0;
  if (length <= 7) return 1;
  if (length <= 12) return 2;
  if (length <= 17) return 3;
  return length <= 24 ? 4 : 5;
}

/** Insertions, deletions, replacements and swaps of neighbours, one each. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, before[column - 2]! + 1);
      }
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
