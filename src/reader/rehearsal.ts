/**
 * What a reader does with idle time after its start: it searches made-up indexes until its code is hot, so that the first
 * real searches are as quick as later ones. Ends for good after a bounded effort, and never touches a real index.
 */
import type { Handlers } from "./task.ts";

/** Time for the server to start. */
const FIRST_BEGINS_MS = 400;
/** Readers begin one after the other: all of them share the threads on which the engine compiles. */
const NEXT_BEGINS_MS = 200;
/** Time of this thread, at most. */
const EFFORT_MS = 1500;
/** A round that takes less than this share of the best one before it is progress. */
const PROGRESS = 0.95;
/** So many rounds without progress are the end. */
const ROUNDS_WITHOUT_PROGRESS = 5;

export class Rehearsal {
  readonly #handlers: Handlers;
  readonly #beginsAt: number;
  #steps: AsyncGenerator<boolean, void> | null = null;
  #spentMs = 0;
  #roundMs = 0;
  #bestMs = Number.POSITIVE_INFINITY;
  #roundsWithoutProgress = 0;

  constructor(handlers: Handlers, reader: number) {
    this.#handlers = handlers;
    this.#beginsAt = performance.now() + FIRST_BEGINS_MS + reader * NEXT_BEGINS_MS;
  }

  /** How long there is still to wait before the next step. */
  get pauseMs(): number {
    return Math.max(0, this.#beginsAt - performance.now());
  }

  /** Does a little; false when it is over. */
  async step(): Promise<boolean> {
    const startedAt = performance.now();
    try {
      // Loaded late: what builds indexes is not needed by readers otherwise.
      this.#steps ??= (await import("./rehearsal/play.ts")).play(this.#handlers);
      const { value: isRoundComplete } = await this.#steps.next();
      this.#account(performance.now() - startedAt, isRoundComplete === true);
      if (this.#spentMs < EFFORT_MS && this.#roundsWithoutProgress < ROUNDS_WITHOUT_PROGRESS) return true;
      await this.#steps.return();
    } catch {
      // No room for the index, no folder for its files: searches work without rehearsal, only slower at first.
    }
    return false;
  }

  #account(tookMs: number, isRoundComplete: boolean): void {
    this.#spentMs += tookMs;
    this.#roundMs += tookMs;
    if (!isRoundComplete) return;
    const isProgress = this.#roundMs < this.#bestMs * PROGRESS;
    this.#roundsWithoutProgress = isProgress ? 0 : this.#roundsWithoutProgress + 1;
    this.#bestMs = Math.min(this.#bestMs, this.#roundMs);
    this.#roundMs = 0;
  }
}
