/**
 * When the next of many alike may begin. Where there is little to do it begins at once; where there is much, what comes within some
 * milliseconds is done together: what each of them costs is then shared, and what a later one replaces is never done.
 */
import { within } from "./within.ts";

interface PaceSetup {
  /** One that did so much is followed by the next after a millisecond. */
  doneAMs: number;
  /** Longest wait. */
  msMax: number;
}

export class Pace {
  readonly #setup: PaceSetup;
  /** When the next one may begin. */
  #from = 0;
  #go: (() => void) | null = null;

  constructor(setup: PaceSetup) {
    this.#setup = setup;
  }

  /** Resolves when the next one may begin. */
  async turn(): Promise<void> {
    const waitMs = this.#from - performance.now();
    if (waitMs <= 0) return;
    const hurried = new Promise<void>((resolve) => {
      this.#go = resolve;
    });
    await within(waitMs, hurried);
    this.#go = null;
  }

  /** So much was done by the last one. */
  made(done: number): void {
    this.#from = performance.now() + Math.min(this.#setup.msMax, done / this.#setup.doneAMs);
  }

  /** Somebody waits for it from now on. */
  hurry(): void {
    this.#go?.();
  }
}
