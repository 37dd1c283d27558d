/**
 * When a server that follows makes the next records. A few changes are made as soon as they come; where there are many, those of
 * some milliseconds are made together: what a transaction costs is then shared, and what a later record replaces is never stored.
 */
import { within } from "../../base/time/within.ts";

/** A transaction with so many changes is followed by the next one after a millisecond. */
const CHANGES_A_MS = 8;
const TOGETHER_MS_MAX = 32;

export class Pace {
  /** When the next transaction may be made. */
  #from = 0;
  #go: (() => void) | null = null;

  /** Resolves when the next transaction may be made. */
  async turn(): Promise<void> {
    const waitMs = this.#from - performance.now();
    if (waitMs <= 0) return;
    const hurried = new Promise<void>((resolve) => {
      this.#go = resolve;
    });
    await within(waitMs, hurried);
    this.#go = null;
  }

  /** So many changes were made. */
  made(changes: number): void {
    this.#from = performance.now() + Math.min(TOGETHER_MS_MAX, changes / CHANGES_A_MS);
  }

  /** Somebody waits for it from now on. */
  hurry(): void {
    this.#go?.();
  }
}
