/** What is true of every document that passes a filter, without a look at any: the values that it asks fields to have. */
import type { Filter, Token } from "./filter.ts";

/** A field and a value that it has, perhaps among others. */
export interface Equality {
  field: string;
  value: Token;
}

/** Those of `a = x`, and of all that `AND` joins. */
export function equalitiesOf(filter: Filter): Equality[] {
  if (filter.kind === "and") return filter.filters.flatMap(equalitiesOf);
  if (filter.kind !== "compare" || filter.operator !== "=") return [];
  return [{ field: filter.field.text, value: filter.value }];
}
