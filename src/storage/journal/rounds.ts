/** Does the same again and again, one time after the other: whoever asks gets one that begins after it asked, and shares it. */
export class Rounds {
  readonly #act: () => Promise<void>;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(act: () => Promise<void>) {
    this.#act = act;
  }

  run(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = null;
      const round = this.#act();
      this.#current = round.catch(() => {});
      return round;
    });
    return this.#next;
  }
}
