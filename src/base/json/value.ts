/** A JSON value as the standard parser gives it. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same keys with other values. Names come from clients: to assign to one called `__proto__` would lose it. */
export function mapped<From, To>(
  values: Readonly<Record<string, From>>,
  make: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value, name)]));
}
