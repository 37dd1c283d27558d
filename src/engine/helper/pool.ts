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

/** What a client waits for: it does not wait behind what is built of earlier documents, which may take minutes. */
const AWAITED: ReadonlySet<JobKind> = new Set<JobKind>(["payload.prepareFile", "payload.prepareIds", "payload.lines"]);

export class HelperPool {
  readonly #builders: Piscina<JobCall, Outcome<unknown>>;
  readonly #awaited: Piscina<JobCall, Outcome<unknown>>;

  constructor(threads: number) {
    this.#builders = HelperPool.#threads(threads);
    this.#awaited = HelperPool.#threads(threads);
  }

  static #threads(threads: number): Piscina<JobCall, Outcome<unknown>> {
    const thread = serverThread("engine/helper/thread");
    const piscina = new Piscina<JobCall, Outcome<unknown>>({
      filename: thread.filename,
      name: "runJob",
      execArgv: thread.execArgv,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_TIMEOUT_MS,
      recordTiming: false,
    });
    // A thread that fails outside a job; the job it had is rejected as well.
    piscina.on("error", () => {});
    return piscina;
  }

  /** Starts the threads ahead of the first work, which often comes right after the server has started. */
  warm(): void {
    const start: JobCall = { kind: "helper.start", input: null };
    for (let i = 0; i < this.#builders.options.maxThreads; i++) this.#builders.run(start).catch(() => {});
    this.#awaited.run(start).catch(() => {});
  }

  /** Jobs that run or wait. */
  get pending(): number {
    return pendingOf(this.#builders) + pendingOf(this.#awaited);
  }

  /** Waits its turn when all threads that do the like are busy. Rejects with what the job threw, or when its thread died. */
  async run<K extends JobKind>(kind: K, input: JobInput<K>, transfer: ArrayBuffer[] = []): Promise<JobOutput<K>> {
    const threads = AWAITED.has(kind) ? this.#awaited : this.#builders;
    const outcome = await threads.run({ kind, input }, { transferList: transfer });
    return unwrap(outcome) as JobOutput<K>;
  }

  /** Jobs under way are broken off. */
  async stop(): Promise<void> {
    await Promise.all([this.#builders.destroy(), this.#awaited.destroy()]);
  }
}

function pendingOf({ queueSize, threads, idleThreads }: Piscina): number {
  return queueSize + threads.length - idleThreads;
}
