/** Ends calls to embedders when the batch that makes them is no longer wanted. */
import type { Work } from "../work.ts";

/** How often the batch is asked whether it is still wanted. */
const CHECK_MS = 50;

export class StopSignal {
  readonly #controller = new AbortController();
  readonly #checking: NodeJS.Timeout;

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
    this.#controller.abort(reason);
  }

  dispose(): void {
    clearInterval(this.#checking);
  }
}
