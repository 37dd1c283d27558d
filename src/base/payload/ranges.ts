/** A growing list of [start, end) offsets, kept flat: what a payload's documents are found by. */

/** As many as the engine keeps among its own objects: most lists are of one document, and memory of their own takes longer to get. */
const FIRST_OFFSETS = 16;

export class RangeList {
  #offsets = new Uint32Array(FIRST_OFFSETS);
  #used = 0;

  push(start: number, end: number): void {
    if (this.#used === this.#offsets.length) {
      const grown = new Uint32Array(this.#used * 2);
      grown.set(this.#offsets);
      this.#offsets = grown;
    }
    this.#offsets[this.#used++] = start;
    this.#offsets[this.#used++] = end;
  }

  /** Starts and ends of several, in pairs. */
  append(pairs: Uint32Array): void {
    const used = this.#used + pairs.length;
    if (used > this.#offsets.length) {
      const grown = new Uint32Array(Math.max(used, this.#used * 2));
      grown.set(this.#offsets.subarray(0, this.#used));
      this.#offsets = grown;
    }
    this.#offsets.set(pairs, this.#used);
    this.#used = used;
  }

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  finish(): Uint32Array {
    return this.#offsets.slice(0, this.#used);
  }
}
