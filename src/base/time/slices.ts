/** Long work in slices of so many milliseconds: between two of them the thread hears who else has come. */
export class Slices {
  readonly #lengthMs: number;
  #end: number;
  /** Of all that work in these slices together. */
  #pause: Promise<void> | null = null;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
    this.#end = performance.now() + lengthMs;
  }

  /** Whether others are to have a turn before more is done. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /**
   * Resolves after they had it, at once while it is not their turn. To be called where the work can be interrupted: nothing
   * that it holds may be used by others. What is done side by side shares one slice.
   */
  async pause(): Promise<void> {
    while (this.isOver) {
      this.#pause ??= new Promise((resume) => setImmediate(() => this.#begin(resume)));
      await this.#pause;
    }
  }

  #begin(resume: () => void): void {
    this.#pause = null;
    this.#end = performance.now() + this.#lengthMs;
    resume();
  }
}
