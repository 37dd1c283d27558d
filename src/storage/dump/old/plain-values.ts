/** Values of an old dump that ought to be texts and numbers, whatever they are. */

/** An object may say that it has no way to become a text. */
export function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** 0 for what is no number. */
export function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
