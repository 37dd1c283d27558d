/** Days as they are counted: of UTC, numbered from 1970 on, and written `YYYY-MM-DD`. */

export const DAY_MS = 86_400_000;

export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Null for what is no day. */
export function dayOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const day = Date.parse(`${text}T00:00:00Z`) / DAY_MS;
  // Some days that do not exist are read as others.
  return Number.isInteger(day) && dayText(day) === text ? day : null;
}
