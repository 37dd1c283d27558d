/** For long work on the writer thread: gives messages a turn now and then, and stops when a cancelation wants it to. */
import { setImmediate } from "node:timers/promises";
import type { Work } from "./work.ts";

/** How long one stretch of work may keep the thread, at most about. */
const STRETCH_MS = 10;

export class YieldBudget {
  readonly #work: Pick<Work, "checkpoint">;
  #since = performance.now();

  constructor(work: Pick<Work, "checkpoint">) {
    this.#work = work;
  }

  /** Whether the stretch has lasted long enough: then `take` is due. */
  get isDue(): boolean {
    return performance.now() - this.#since >= STRETCH_MS;
  }

  /** Throws `BatchAborted` when the batch is to stop. */
  async take(): Promise<void> {
    await setImmediate();
    this.#work.checkpoint();
    this.#since = performance.now();
  }
}
