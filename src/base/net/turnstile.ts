/** Lets so many through at once, lets so many more wait in order, and turns away the rest. */

export class Crowded extends Error {
  override readonly name = "Crowded";
}

export class Turnstile {
  readonly #insideMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(insideMax: number, waitingMax: number) {
    this.#insideMax = insideMax;
    this.#waitingMax = waitingMax;
  }

  /** Runs `work` when it is its turn. Rejects with `Crowded`, or with the reason of the signal when that comes first. */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      // The place passes on to whoever waits longest.
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside--;
      else next();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#inside < this.#insideMax) {
      this.#inside++;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#waitingMax) return Promise.reject(new Crowded("too many calls wait already"));
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      this.#waiting.push(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
