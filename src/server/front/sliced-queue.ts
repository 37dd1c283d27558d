/** Work of the front in slices, first come, first served: between two of them it hears who else has come. */
import { SLICE_MS } from "./slices.ts";

export class SlicedQueue {
  #queue: (() => void)[] = [];
  #at = 0;

  add(work: () => void): void {
    this.#queue.push(work);
    if (this.#queue.length === 1) setImmediate(() => this.#slice());
  }

  #slice(): void {
    const end = performance.now() + SLICE_MS;
    while (this.#at < this.#queue.length && performance.now() < end) this.#queue[this.#at++]!();
    if (this.#at < this.#queue.length) {
      setImmediate(() => this.#slice());
      return;
    }
    this.#queue = [];
    this.#at = 0;
  }
}
