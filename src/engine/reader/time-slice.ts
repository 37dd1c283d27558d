/** Long requests in slices: between two of them the reader serves what else waits, so that nobody waits for all of it. */

/** Short against what a client notices, long against the cost of a turn. */
const SLICE_MS = 10;

export class TimeSlice {
  #sliceStartedAt = performance.now();

  /** To be called where the request can be interrupted: nothing it holds may be used by another request. */
  async pause(): Promise<void> {
    if (performance.now() - this.#sliceStartedAt < SLICE_MS) return;
    await new Promise((resume) => setImmediate(resume));
    this.#sliceStartedAt = performance.now();
  }
}
