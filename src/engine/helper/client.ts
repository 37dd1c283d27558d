/**
 * Helper threads as the writer sees them: jobs go over a port to the main thread, which owns the pool, and come back.
 * The main thread only passes them on.
 */
import type { MessagePort } from "node:worker_threads";
import type { JobInput, JobKind, JobOutput } from "./jobs.ts";
import { failure, type Outcome, unwrap } from "./outcome.ts";
import type { HelperPool } from "./pool.ts";

interface Ask {
  number: number;
  kind: JobKind;
  input: JobInput<JobKind>;
  /** Buffers inside the input that move on. */
  transfer: ArrayBuffer[];
}

interface Tell {
  number: number;
  outcome: Outcome<unknown>;
}

export class HelperClient {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (outcome: Outcome<unknown>) => void>();
  #next = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", ({ number, outcome }: Tell) => {
      this.#waiting.get(number)?.(outcome);
      this.#waiting.delete(number);
    });
    port.on("close", () => {
      for (const settle of this.#waiting.values()) settle(failure(new Error("the helper threads are gone")));
      this.#waiting.clear();
    });
  }

  /** Buffers named in `transfer` move instead of being copied; shared memory is never copied. */
  async run<K extends JobKind>(kind: K, input: JobInput<K>, transfer: ArrayBuffer[] = []): Promise<JobOutput<K>> {
    const number = this.#next++;
    const outcome = await new Promise<Outcome<unknown>>((resolve) => {
      this.#waiting.set(number, resolve);
      this.#port.postMessage({ number, kind, input, transfer } satisfies Ask, transfer);
    });
    return unwrap(outcome) as JobOutput<K>;
  }

  close(): void {
    this.#port.close();
  }
}

/** Main thread: runs what comes over the port. */
export function serveHelperClient(pool: Pick<HelperPool, "run">, port: MessagePort): void {
  port.on("message", ({ number, kind, input, transfer }: Ask) => {
    pool
      .run(kind, input, transfer)
      .then((output): Outcome<unknown> => ({ ok: true, output }), failure)
      .then((outcome) => port.postMessage({ number, outcome } satisfies Tell));
  });
}
