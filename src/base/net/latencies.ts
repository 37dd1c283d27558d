/**
 * How long calls to one server took lately, to tell when one of them takes unusually long and is asked once more (hedged
 * requests: Dean, Barroso 2013, "The Tail at Scale").
 */

/** Fewer say nothing about what is usual. */
const SAMPLES_MIN = 20;
const SAMPLES_MAX = 256;
/** Asking once more sooner than this costs more than it gains. */
const LATE_MS_MIN = 10;

export class Latencies {
  readonly #samples: number[] = [];
  #next = 0;

  add(ms: number): void {
    this.#samples[this.#next] = ms;
    this.#next = (this.#next + 1) % SAMPLES_MAX;
  }

  /** What 95 of 100 calls did not exceed; null while too little is known. */
  lateAfterMs(): number | null {
    const { length } = this.#samples;
    if (length < SAMPLES_MIN) return null;
    const sorted = [...this.#samples].sort((a, b) => a - b);
    return Math.max(LATE_MS_MIN, sorted[Math.ceil(length * 0.95) - 1]!);
  }
}
