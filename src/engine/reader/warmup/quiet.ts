/** When a thread with nothing to do may practise: in bursts, after looks that found the rest of the process quiet. */

/** Time of one burst of work, and of the look after it whether the rest of the process is busy. */
const BURST_MS = 100;
const LOOK_MS = 60;
/** Of one core: what a process without work takes. Another reader that practises takes more, so they take turns. */
const QUIET_SHARE = 0.2;

export class QuietMoments {
  /** When the look that goes on now ends, and what the process had used when it began; 0 during a burst. */
  #lookEndsAt: number;
  #usedBefore = usedMs();
  #burstMs = 0;

  /** The first look is the longer the higher the number of the reader, so that not all begin at once. */
  constructor(firstLookMs: number, reader: number) {
    this.#lookEndsAt = performance.now() + firstLookMs + reader * LOOK_MS;
  }

  /** How long there is still to wait before one may come. */
  get pauseMs(): number {
    return Math.max(0, this.#lookEndsAt - performance.now());
  }

  /** Whether this is one; at the end of a look it begins a burst, or another look. */
  isOne(): boolean {
    if (this.#lookEndsAt === 0) return true;
    if (this.pauseMs > 0) return false;
    const isQuiet = usedMs() - this.#usedBefore < LOOK_MS * QUIET_SHARE;
    if (isQuiet) this.#lookEndsAt = 0;
    else this.#look();
    return isQuiet;
  }

  /** After work that took so long. */
  spent(ms: number): void {
    this.#burstMs += ms;
    if (this.#burstMs >= BURST_MS) this.#look();
  }

  #look(): void {
    this.#burstMs = 0;
    this.#usedBefore = usedMs();
    this.#lookEndsAt = performance.now() + LOOK_MS;
  }
}

/** Of all threads of the process. */
function usedMs(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1000;
}
