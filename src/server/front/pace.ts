/**
 * How quickly what shares a room moves through it, so that where the room runs out the slowest goes first. Judged by the window
 * before this one, or by this one once it has lasted long enough; before that nobody knows.
 */
import { KIB } from "../../base/limits.ts";

/** How long something is watched before its speed is judged. */
const WINDOW_MS = 2000;
/** Bytes a second below which something is slow when others need its room. */
const SLOW_BYTES_A_SECOND = 256 * KIB;

export class Pace {
  #since: number;
  /** Moved since then. */
  #bytes = 0;
  /** In the window before this one; null while there was none. */
  #speed: number | null = null;

  constructor(now: number) {
    this.#since = now;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Begins another window if this one has lasted long enough. */
  turn(now: number): void {
    if (!this.#isLong(now)) return;
    this.#speed = this.#average(now);
    this.#since = now;
    this.#bytes = 0;
  }

  /** Bytes a second; null while it was not watched for long enough. */
  speed(now: number): number | null {
    return this.#isLong(now) ? this.#average(now) : this.#speed;
  }

  #isLong(now: number): boolean {
    return now - this.#since >= WINDOW_MS;
  }

  #average(now: number): number {
    return (this.#bytes * 1000) / (now - this.#since);
  }
}

/** The slowest of those that are slow; null when none is. */
export function slowestOf<Held>(paces: Iterable<readonly [Held, Pace]>, now: number): Held | null {
  let slowest: Held | null = null;
  let least = SLOW_BYTES_A_SECOND;
  for (const [held, pace] of paces) {
    const speed = pace.speed(now);
    if (speed === null || speed >= least) continue;
    slowest = held;
    least = speed;
  }
  return slowest;
}
