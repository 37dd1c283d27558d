/** Ends calls to embedders, and the work of helpers for them, when the batch that makes them is no longer wanted. */
import type { Work } from "../work.ts";

/** How often the batch is asked whether it is still wanted. */
const CHECK_MS = 50;

export class StopSignal {
  readonly #controller = new AbortController();
  readonly #checking: NodeJS.Timeout;
  /** One number that other threads look at: 1 from the end on. */
  readonly unwanted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(work: Pick<Work, "checkpoint">) {
    this.#checking = setInterval(() => {
      try {
        work.checkpoint();
      } catch (problem) {
        this.abort(problem);
      }
    }, CHECK_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    Atomics.store(this.unwanted, 0, 1);
    this.#controller.abort(reason);
  }

  dispose(): void {
    clearInterval(this.#checking);
  }
}
