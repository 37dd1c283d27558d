/** Whether a server that failed is to be trusted again: after every failure in a row it is avoided for twice as long. */

const AVOIDED_MS = 30_000;
const AVOIDED_MS_MAX = 300_000;

export class Standing {
  #failures = 0;
  #avoidedUntil = 0;

  succeeded(): void {
    this.#failures = 0;
    this.#avoidedUntil = 0;
  }

  /** `now`, here and below: milliseconds of a clock that does not go back. */
  failed(now: number): void {
    this.#avoidedUntil = now + Math.min(AVOIDED_MS * 2 ** this.#failures, AVOIDED_MS_MAX);
    this.#failures++;
  }

  isAvoided(now: number): boolean {
    return now < this.#avoidedUntil;
  }
}
