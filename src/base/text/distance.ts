/** How far the next word of a value stands from the one before it. Shared by all ways of reading words. */
import type { Gap } from "./token.ts";

export type DistanceState = Pick<Distance, "gap" | "started">;

export class Distance {
  /** Of the next word. */
  gap: Gap = 0;
  /** Separators before the first word do not count. A word without letters ends them, though it takes no position. */
  started = false;

  /** Before the first token of a value. */
  reset(): void {
    this.gap = 0;
    this.started = false;
  }

  /** Between two tokens, as another left it. */
  resume(before: DistanceState): void {
    this.gap = before.gap;
    this.started = before.started;
  }

  /** Several separators in a row count once; soft after hard stays hard. */
  separator(hard: boolean): void {
    if (!this.started) return;
    if (hard) this.gap = 8;
    else if (this.gap === 0) this.gap = 1;
  }

  /** After a word or stop word was placed. */
  word(): void {
    this.gap = 1;
    this.started = true;
  }

  /** After a token of which normalization left nothing. */
  emptyWord(): void {
    this.started = true;
  }
}
