/** Long work of the front on one request, in slices: between two of them it hears who else has come. */

/** One request may take five: what is begun within a slice is done after it, and garbage is collected. */
export const SLICE_MS = 3;

export class Slices {
  #end = performance.now() + SLICE_MS;

  /** Whether others are to have a turn before more is done. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Resolves after they had it. */
  async pause(): Promise<void> {
    await new Promise((resume) => setImmediate(resume));
    this.#end = performance.now() + SLICE_MS;
  }
}
