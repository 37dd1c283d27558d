/**
 * Moments and durations as the interface writes them: microseconds inside, RFC 3339 and ISO 8601 text outside.
 * What clients write is read in `base/time/dates.ts`.
 */

/** Microseconds since 1970: exact in a double, printed with up to six fractional digits. */
export type Micros = number;

const MICROS_PER_SECOND = 1_000_000;
const MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;
/** How far the fine clock may stray from the wall clock before it is set anew. */
const DRIFT_MS_MAX = 2;

let anchorMs = performance.timeOrigin;

/** The wall clock, with the microseconds that `Date.now()` lacks. */
export function nowMicros(): Micros {
  const fine = performance.now();
  const wallMs = Date.now();
  if (Math.abs(anchorMs + fine - wallMs) > DRIFT_MS_MAX) anchorMs = wallMs - fine;
  return Math.round((anchorMs + fine) * 1000);
}

/** Written last: what is written next is mostly of the same second. */
let lastSeconds = 0;
let lastWhole = "1970-01-01T00:00:00";

/** `2024-05-06T07:08:09.1234Z`: fraction without trailing zeros, none when zero. */
export function formatTime(micros: Micros): string {
  const seconds = Math.floor(micros / MICROS_PER_SECOND);
  const fraction = micros - seconds * MICROS_PER_SECOND;
  if (seconds !== lastSeconds) {
    lastWhole = new Date(seconds * 1000).toISOString().slice(0, -5);
    lastSeconds = seconds;
  }
  const whole = lastWhole;
  if (fraction === 0) return `${whole}Z`;
  return `${whole}.${String(fraction).padStart(6, "0").replace(/0+$/, "")}Z`;
}

/** `PT0.009330S`, `P1DT3.500S`: three or six digits as needed; null for a negative span. */
export function formatDuration(micros: number): string | null {
  if (micros < 0) return null;
  const days = Math.floor(micros / MICROS_PER_DAY);
  const rest = micros - days * MICROS_PER_DAY;
  const seconds = Math.floor(rest / MICROS_PER_SECOND);
  const fraction = rest - seconds * MICROS_PER_SECOND;
  const digits = String(fraction).padStart(6, "0");
  const tail = fraction === 0 ? "" : fraction % 1000 === 0 ? `.${digits.slice(0, 3)}` : `.${digits}`;
  return `P${days > 0 ? `${days}D` : ""}T${seconds}${tail}S`;
}
