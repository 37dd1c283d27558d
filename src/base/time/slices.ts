/** Long work in slices of so many milliseconds: between two of them the thread hears who else has come. */
export class Slices {
  readonly #lengthMs: number;
  #end: number;

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
   * that it holds may be used by others.
   */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await new Promise((resume) => setImmediate(resume));
    this.#end = performance.now() + this.#lengthMs;
  }
}
