/** When work that can wait may be done: in bursts, after looks that found the rest of the process quiet. */
import { setTimeout as pause } from "node:timers/promises";

/** Time of one burst of work, and of the look after it whether the rest of the process is busy. */
const BURST_MS = 100;
const LOOK_MS = 60;
/** Of one core: what a process without work takes. Another thread in its burst takes more, so they take turns. */
const QUIET_SHARE = 0.2;

export class QuietMoments {
  /** When the look that goes on now ends, and what the process had used when it began; 0 during a burst. */
  #lookEndsAt: number;
  readonly #used: () => number;
  readonly #asked: () => number;
  #usedBefore: number;
  /** When the burst began. */
  #askedBefore = 0;
  #burstMs = 0;

  /**
   * The first look is the longer the higher the number of the reader, so that not all begin at once. `used`: milliseconds that
   * the process has worked. `asked`: a number that is another one once somebody has asked something. That ends a burst: a
   * process that the system gave no time looks as quiet as one without work.
   */
  constructor(firstLookMs: number, reader: number, asked = () => 0, used = usedMs) {
    this.#used = used;
    this.#asked = asked;
    this.#usedBefore = used();
    this.#lookEndsAt = performance.now() + firstLookMs + reader * LOOK_MS;
  }

  /** How long there is still to wait before one may come. */
  get pauseMs(): number {
    return Math.max(0, this.#lookEndsAt - performance.now());
  }

  /** Whether this is one; at the end of a look it begins a burst, or another look. */
  isOne(): boolean {
    const isBurst = this.#lookEndsAt === 0;
    if (this.pauseMs > 0) return false;
    const isQuiet = isBurst
      ? this.#asked() === this.#askedBefore
      : this.#used() - this.#usedBefore < LOOK_MS * QUIET_SHARE;
    if (!isQuiet) this.#look();
    else if (!isBurst) this.#burst();
    return isQuiet;
  }

  /** After work that took so long. */
  spent(ms: number): void {
    this.#burstMs += ms;
    if (this.#burstMs >= BURST_MS) this.#look();
  }

  #burst(): void {
    this.#lookEndsAt = 0;
    this.#askedBefore = this.#asked();
  }

  #look(): void {
    this.#burstMs = 0;
    this.#usedBefore = this.#used();
    this.#lookEndsAt = performance.now() + LOOK_MS;
  }
}

/** Resolves in the next of them, after so long at the latest, or when it is wanted sooner. */
export async function quietMoment(atMostMs: number, isWanted = () => false, used = usedMs): Promise<void> {
  const moments = new QuietMoments(LOOK_MS, 0, undefined, used);
  const endsAt = performance.now() + atMostMs;
  while (!isWanted() && performance.now() < endsAt && !moments.isOne()) {
    await pause(LOOK_MS, undefined, { ref: false });
  }
}

/** Of all threads of the process. */
function usedMs(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1000;
}
