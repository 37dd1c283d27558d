/** A value of an old dump as a text, whatever it is: an object may say that it has no way to become one. */
export function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
