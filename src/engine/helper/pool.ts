/**
 * The helper threads: heavy work off the other threads. They start when there is work and end after a while without,
 * so that their memory goes back. Main thread only; the writer goes through `HelperClient`.
 */
import { Piscina } from "piscina";
import { serverThread } from "../../base/bundle/threads.ts";
import type { JobInput, JobKind, JobOutput } from "./jobs.ts";
import { type Outcome, unwrap } from "./outcome.ts";
import type { JobCall } from "./thread.ts";

/** Starting a thread takes some 50 ms: keep it through the pauses of a steady stream of work. */
const IDLE_TIMEOUT_MS = 10_000;

export class HelperPool {
  readonly #piscina: Piscina<JobCall, Outcome<unknown>>;

  constructor(threads: number) {
    const thread = serverThread("engine/helper/thread");
    this.#piscina = new Piscina({
      filename: thread.filename,
      name: "runJob",
      execArgv: thread.execArgv,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_TIMEOUT_MS,
      recordTiming: false,
    });
    // A thread that fails outside a job; the job it had is rejected as well.
    this.#piscina.on("error", () => {});
  }

  /** Starts the threads ahead of the first work, which often comes right after the server has started. */
  warm(): void {
    for (let i = 0; i < this.#piscina.options.maxThreads; i++) void this.run("helper.start", null).catch(() => {});
  }

  /** Jobs that run or wait. */
  get pending(): number {
    return this.#piscina.queueSize + this.#piscina.threads.length - this.#piscina.idleThreads;
  }

  /** Waits its turn when all threads are busy. Rejects with what the job threw, or when its thread died. */
  async run<K extends JobKind>(kind: K, input: JobInput<K>, transfer: ArrayBuffer[] = []): Promise<JobOutput<K>> {
    const outcome = await this.#piscina.run({ kind, input }, { transferList: transfer });
    return unwrap(outcome) as JobOutput<K>;
  }

  /** Jobs under way are broken off. */
  async stop(): Promise<void> {
    await this.#piscina.destroy();
  }
}
