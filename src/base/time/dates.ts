/**
 * Dates as clients write them, read into microseconds since 1970 (UTC).
 * Forms only; whether a date must lie in the future is the business of who asks.
 */
import type { Micros } from "./time.ts";

const DAY_MICROS = 86_400_000_000;

const INSTANT = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/;
const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** An instant with its offset, e.g. `2024-05-01T10:00:00.5+02:00`; null when the text is none. */
export function readInstant(text: string): Micros | null {
  const parts = INSTANT.exec(text);
  if (!parts) return null;
  const [, day, time, fraction = "", zone] = parts;
  const seconds = readUtc(day!, time!);
  const offset = readOffset(zone!);
  if (seconds === null || offset === null) return null;
  return seconds - offset + Number(fraction.slice(0, 6).padEnd(6, "0"));
}

/** Midnight UTC of a day written `YYYY-MM-DD`. */
function readDay(text: string): Micros | null {
  return DAY.test(text) ? readUtc(text, "00:00:00") : null;
}

/** The forms of a key's expiration: an instant, a time without offset (UTC), or a day. */
export function readExpiration(text: string): Micros | null {
  const local = LOCAL.exec(text);
  return readInstant(text) ?? (local ? readUtc(local[1]!, local[2]!) : readDay(text));
}

/** A bound of a time filter. A bare day after which something happened means: once that day is over. */
export function readBound(text: string, side: "before" | "after"): Micros | null {
  const instant = readInstant(text);
  if (instant !== null) return instant;
  const day = readDay(text);
  return day === null || side === "before" ? day : day + DAY_MICROS;
}

function readUtc(day: string, time: string): Micros | null {
  const millis = Date.parse(`${day}T${time}Z`);
  // The parser rolls 31 April over into May; a date that does not read back the same was none.
  if (Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(day)) return null;
  return millis * 1000;
}

function readOffset(zone: string): Micros | null {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000_000;
}
