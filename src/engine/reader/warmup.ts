/**
 * What a reader does with idle time after its start: it searches made-up indexes until its code is hot, so that the first
 * real searches are as quick as later ones. Ends for good after a bounded effort, and never touches a real index.
 */

import { QuietMoments } from "../../base/time/quiet-moments.ts";
import type { Handlers } from "./task.ts";
import { warmupRounds } from "./warmup/rounds.ts";
import { compilingSooner } from "./warmup/sooner.ts";

/** Time for the server and its helpers to start. */
const FIRST_BEGINS_MS = 800;
/** Time of this thread, at most. */
const EFFORT_MS = 3500;
/** A round that takes less than this share of the best one before it is progress. */
const PROGRESS = 0.95;
/** So many rounds without progress are the end. */
const ROUNDS_WITHOUT_PROGRESS = 100;

export class Warmup {
  readonly #handlers: Handlers;
  readonly #moments: QuietMoments;
  #steps: AsyncGenerator<boolean, void> | null = null;
  #spentMs = 0;
  #roundMs = 0;
  #bestMs = Number.POSITIVE_INFINITY;
  #roundsWithoutProgress = 0;

  /** `asked`: a number that is another one once somebody has asked something. */
  constructor(handlers: Handlers, reader: number, asked: () => number) {
    this.#handlers = handlers;
    this.#moments = new QuietMoments(FIRST_BEGINS_MS, reader, asked);
  }

  /** How long there is still to wait before the next step. */
  get pauseMs(): number {
    return this.#moments.pauseMs;
  }

  /** Does a little, unless others are at work; false when it is over. */
  async step(): Promise<boolean> {
    if (!this.#moments.isOne()) return true;
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

  #account(tookMs: number, isRoundComplete: boolean): void {
    this.#moments.spent(tookMs);
    this.#spentMs += tookMs;
    this.#roundMs += tookMs;
    if (!isRoundComplete) return;
    const isProgress = this.#roundMs < this.#bestMs * PROGRESS;
    this.#roundsWithoutProgress = isProgress ? 0 : this.#roundsWithoutProgress + 1;
    this.#bestMs = Math.min(this.#bestMs, this.#roundMs);
    this.#roundMs = 0;
  }
}
