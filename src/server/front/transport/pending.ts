/** Counts things under way, and lets one wait for the last of them, but not for ever. */
export class Pending {
  #count = 0;
  #emptied: (() => void) | null = null;

  get count(): number {
    return this.#count;
  }

  add(): void {
    this.#count++;
  }

  remove(): void {
    this.#count--;
    if (this.#count === 0) this.#emptied?.();
  }

  /** Resolves when nothing is under way, at the latest after this time. */
  async none(withinMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#emptied = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
