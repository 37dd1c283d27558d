/**
 * What a reader does with idle time after its start: it searches made-up indexes until its code is hot, so that the first
 * real searches are as quick as later ones. Ends for good after a bounded effort, and never touches a real index.
 */

import type { Handlers } from "./task.ts";
import { warmupRounds } from "./warmup/rounds.ts";
import { compilingSooner } from "./warmup/sooner.ts";

/** Time for the server and its helpers to start. */
const FIRST_BEGINS_MS = 800;
/** Time of one burst of work, and of the look after it whether the rest of the process is busy. */
const BURST_MS = 100;
const LOOK_MS = 60;
/** Of one core: what a process without work takes. Another reader that warms up takes more, so they take turns. */
const QUIET_SHARE = 0.2;
/** Time of this thread, at most. */
const EFFORT_MS = 5000;
/** A round that takes less than this share of the best one before it is progress. */
const PROGRESS = 0.95;
/** So many rounds without progress are the end. */
const ROUNDS_WITHOUT_PROGRESS = 100;

export class Warmup {
  readonly #handlers: Handlers;
  /** When the look that goes on now ends, and what the process had used when it began; 0 during a burst. */
  #lookEndsAt: number;
  #usedBefore = usedMs();
  #burstMs = 0;
  #steps: AsyncGenerator<boolean, void> | null = null;
  #spentMs = 0;
  #roundMs = 0;
  #bestMs = Number.POSITIVE_INFINITY;
  #roundsWithoutProgress = 0;

  constructor(handlers: Handlers, reader: number) {
    this.#handlers = handlers;
    this.#lookEndsAt = performance.now() + FIRST_BEGINS_MS + reader * LOOK_MS;
  }

  /** How long there is still to wait before the next step. */
  get pauseMs(): number {
    return Math.max(0, this.#lookEndsAt - performance.now());
  }

  /** Does a little, unless others are at work; false when it is over. */
  async step(): Promise<boolean> {
    if (this.#lookEndsAt !== 0 && !this.#isQuiet()) return true;
    const startedAt = performance.now();
    try {
      const steps = this.#steps ?? warmupRounds(this.#handlers);
      this.#steps = steps;
      const { value: isRoundComplete } = await compilingSooner(() => steps.next());
      this.#account(performance.now() - startedAt, isRoundComplete === true);
      if (this.#spentMs < EFFORT_MS && this.#roundsWithoutProgress < ROUNDS_WITHOUT_PROGRESS) return true;
      await steps.return();
    } catch {
      // No room for the index, no folder for its files: searches work without it, only slower at first.
    }
    return false;
  }

  /** At the end of a look: begins a burst, or another look. */
  #isQuiet(): boolean {
    const isQuiet = usedMs() - this.#usedBefore < LOOK_MS * QUIET_SHARE;
    if (isQuiet) this.#lookEndsAt = 0;
    else this.#look();
    return isQuiet;
  }

  #look(): void {
    this.#burstMs = 0;
    this.#usedBefore = usedMs();
    this.#lookEndsAt = performance.now() + LOOK_MS;
  }

  #account(tookMs: number, isRoundComplete: boolean): void {
    this.#burstMs += tookMs;
    if (this.#burstMs >= BURST_MS) this.#look();
    this.#spentMs += tookMs;
    this.#roundMs += tookMs;
    if (!isRoundComplete) return;
    const isProgress = this.#roundMs < this.#bestMs * PROGRESS;
    this.#roundsWithoutProgress = isProgress ? 0 : this.#roundsWithoutProgress + 1;
    this.#bestMs = Math.min(this.#bestMs, this.#roundMs);
    this.#roundMs = 0;
  }
}

/** Of all threads of the process. */
function usedMs(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1000;
}
