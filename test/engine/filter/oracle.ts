/** Which documents pass a filter, by a plain look at their JSON: what filters over segments are compared with. */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../../src/base/json/value.ts";
import type { Filter } from "../../../src/engine/filter/filter.ts";

/** Every value found under a flattened name, with whether it stood directly under its key. */
export function valuesAt(document: Json, name: string): { value: Json; direct: boolean }[] {
  const found: { value: Json; direct: boolean }[] = [];
  const visit = (value: Json, path: string, direct: boolean): void => {
    if (path === name) found.push({ value, direct });
    if (Array.isArray(value)) for (const each of value) visit(each, path, false);
    else if (typeof value === "object" && value !== null) {
      for (const [key, each] of Object.entries(value)) visit(each, path === "" ? key : `${path}.${key}`, true);
    }
  };
  visit(document, "", false);
  return found;
}

const normal = (text: string): string => text.trim().normalize("NFKD").toLowerCase();
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const asNumber = (text: string): number | null => (/^-?\d/.test(text) ? Number(text) : null);

export function passes(filter: Filter, document: JsonObject, known: (name: string) => boolean): boolean {
  if (filter.kind === "and") return filter.filters.every((each) => passes(each, document, known));
  if (filter.kind === "or") return filter.filters.some((each) => passes(each, document, known));
  if (filter.kind === "not") return !passes(filter.filter, document, known);
  if (!("field" in filter)) return assert.fail("not for the oracle");
  if (!known(filter.field.text)) return false;
  const found = valuesAt(document, filter.field.text);
  const numbers = found.flatMap(({ value }) => (typeof value === "number" ? [value] : []));
  const strings = found.flatMap(({ value }) =>
    (typeof value === "string" && value !== "") || typeof value === "boolean" ? [normal(String(value))] : [],
  );
  const equals = (text: string): boolean => strings.includes(normal(text)) || numbers.some((n) => n === asNumber(text));
  const compared = (text: string, holds: (order: number) => boolean): boolean =>
    (asNumber(text) !== null && numbers.some((n) => holds(n - asNumber(text)!))) ||
    strings.some((own) => holds(byBytes(own, normal(text))));
  switch (filter.kind) {
    case "exists":
      return found.some(({ direct }) => direct);
    case "null":
      return found.some(({ value, direct }) => direct && value === null);
    case "empty":
      return found.some(({ value, direct }) => direct && ["[]", "{}", '""'].includes(JSON.stringify(value)));
    case "in":
      return filter.values.some((value) => equals(value.text));
    case "contains":
      return strings.some((own) => own.includes(normal(filter.value.text)));
    case "startsWith":
      if (normal(filter.value.text) === "") return found.some(({ direct }) => direct);
      return strings.some((own) => own.startsWith(normal(filter.value.text)));
    case "between": {
      const low = asNumber(filter.low.text);
      const high = asNumber(filter.high.text);
      const [from, to] = [normal(filter.low.text), normal(filter.high.text)];
      return (
        (low !== null && high !== null && numbers.some((n) => n >= low && n <= high)) ||
        strings.some((own) => byBytes(own, from) >= 0 && byBytes(own, to) <= 0)
      );
    }
    case "compare": {
      const { text } = filter.value;
      if (filter.operator === "=") return equals(text);
      if (filter.operator === "!=") return !equals(text);
      if (filter.operator === ">") return compared(text, (order) => order > 0);
      if (filter.operator === ">=") return compared(text, (order) => order >= 0);
      if (filter.operator === "<") return compared(text, (order) => order < 0);
      return compared(text, (order) => order <= 0);
    }
    default:
      return assert.fail("not for the oracle");
  }
}
