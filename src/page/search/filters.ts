/** Filters as text: from values that were picked, ranges that were set, and conditions that were put together. */

import type { Around } from "./geo.ts";

/** Values by attribute; several values of one attribute are alternatives. */
export type Picks = ReadonlyMap<string, ReadonlySet<string>>;
export interface Range {
  from: string;
  to: string;
}
export type Ranges = ReadonlyMap<string, Range>;

export const OPERATORS = [
  "=",
  "!=",
  ">",
  ">=",
  "<",
  "<=",
  "TO",
  "IN",
  "NOT IN",
  "STARTS WITH",
  "CONTAINS",
  "EXISTS",
  "NOT EXISTS",
  "IS NULL",
  "IS EMPTY",
] as const;
export type Operator = (typeof OPERATORS)[number];

/** Those that stand behind an attribute alone. */
const WITHOUT_VALUE: readonly Operator[] = ["EXISTS", "NOT EXISTS", "IS NULL", "IS EMPTY"];
const NUMBER = /^-?\d+(\.\d+)?$/;

export function takesValue(operator: Operator): boolean {
  return !WITHOUT_VALUE.includes(operator);
}

export function quoted(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

const plainOrQuoted = (value: string): string => (NUMBER.test(value) ? value : quoted(value));

/** `value`: for lists, parts with commas between them; for `TO`, two numbers with a space or comma between them. */
export function condition(attribute: string, operator: Operator, value: string): string {
  const name = /^[\w.-]+$/.test(attribute) ? attribute : quoted(attribute);
  if (!takesValue(operator)) return `${name} ${operator}`;
  const parts = value
    .split(operator === "TO" ? /[\s,]+/ : ",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (operator === "TO") return `${name} ${parts[0] ?? ""} TO ${parts[1] ?? ""}`;
  if (operator === "IN" || operator === "NOT IN") return `${name} ${operator} [${parts.map(plainOrQuoted).join(", ")}]`;
  return `${name} ${operator} ${plainOrQuoted(value.trim())}`;
}

export function and(filter: string, more: string): string {
  if (filter.trim() === "") return more;
  // A condition that follows must not join one side of an OR only.
  return /\bOR\b/i.test(filter) ? `(${filter}) AND ${more}` : `${filter} AND ${more}`;
}

/** All of it, as the list that a search takes; undefined where nothing is filtered. */
export function wholeFilter(
  text: string,
  picks: Picks,
  ranges: Ranges,
  around: Around | null,
): (string | string[])[] | undefined {
  const parts: (string | string[])[] = text.trim() === "" ? [] : [text.trim()];
  for (const [attribute, values] of picks) {
    const alternatives = [...values].map((value) => condition(attribute, "=", value));
    if (alternatives.length > 0) parts.push(alternatives.length === 1 ? alternatives[0]! : alternatives);
  }
  for (const [attribute, { from, to }] of ranges) {
    if (NUMBER.test(from)) parts.push(condition(attribute, ">=", from));
    if (NUMBER.test(to)) parts.push(condition(attribute, "<=", to));
  }
  if (around !== null) parts.push(`_geoRadius(${around.lat}, ${around.lng}, ${around.metres})`);
  return parts.length === 0 ? undefined : parts;
}
