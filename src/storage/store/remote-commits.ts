/**
 * Commits of a thread that only reads the store itself: they are sent to the thread that has it. Only one thread writes,
 * so that after a commit that failed nobody else is half way into the next one.
 */
import type { MessagePort } from "node:worker_threads";
import type { Change } from "./environment.ts";
import { type FaultKind, StoreFault } from "./fault.ts";
import { type PackedChanges, packChanges, unpackChanges } from "./packed-changes.ts";

interface ToStore {
  number: number;
  packed: PackedChanges;
}

interface FromStore {
  number: number;
  failure: { kind: FaultKind | null; code: string; message: string } | null;
}

export class RemoteCommits {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, { resolve(): void; reject(problem: unknown): void }>();
  #next = 0;

  /** `onCommitted` is told before the writer is. */
  constructor(port: MessagePort, onCommitted: () => void) {
    this.#port = port;
    port.on("message", ({ number, failure }: FromStore) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (failure === null) {
        onCommitted();
        waiting?.resolve();
      } else {
        const { kind, code, message } = failure;
        waiting?.reject(kind === null ? new Error(message) : new StoreFault(kind, code, message));
      }
      if (this.#waiting.size === 0) port.unref();
    });
    port.unref();
  }

  add(changes: readonly Change[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const number = this.#next++;
      this.#waiting.set(number, { resolve, reject });
      // A thread with nothing else to do would end before the answer is there.
      this.#port.ref();
      const { packed, moved } = packChanges(changes);
      this.#port.postMessage({ number, packed } satisfies ToStore, moved);
    });
  }

  close(): void {
    this.#port.close();
  }
}

/** The other end: has the commits of one port made, in their order, until it is told to stop. */
export function serveCommits(port: MessagePort, commit: (changes: readonly Change[]) => Promise<void>): () => void {
  let stopped = false;
  port.on("message", ({ number, packed }: ToStore) => {
    if (stopped) return;
    const answer = (failure: FromStore["failure"]): void => port.postMessage({ number, failure } satisfies FromStore);
    commit(unpackChanges(packed)).then(
      () => answer(null),
      (problem: Error) => {
        const fault = problem instanceof StoreFault ? problem : null;
        answer({ kind: fault?.kind ?? null, code: fault?.code ?? "", message: problem.message });
      },
    );
  });
  return () => {
    stopped = true;
    port.close();
  };
}
