/**
 * Who may go next when not all can go at once: searches before documents, each kind in the order in which it came.
 * Documents never take the last places, so that a search does not wait for a slow batch.
 */
import { setMaxListeners } from "node:events";
import type { EmbedPurpose } from "./embedder.ts";

interface Waiting {
  start(): void;
}

export class PriorityLimiter {
  readonly #total: number;
  readonly #documents: number;
  readonly #waiting: Record<EmbedPurpose, Set<Waiting>> = { search: new Set(), documents: new Set() };
  readonly #running: Record<EmbedPurpose, number> = { search: 0, documents: 0 };

  /** `total` jobs at once, of which at most `documents` for documents. */
  constructor(total: number, documents: number) {
    this.#total = total;
    this.#documents = documents;
  }

  /** Runs the job when it is its turn; rejects without running it when the signal comes first. */
  async run<T>(purpose: EmbedPurpose, signal: AbortSignal, job: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#mayStart(purpose)) this.#running[purpose]++;
    else await this.#turn(purpose, signal);
    try {
      return await job();
    } finally {
      this.#running[purpose]--;
      this.#startNext();
    }
  }

  /** Resolves when a place was taken for the caller. */
  #turn(purpose: EmbedPurpose, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting[purpose];
      const entry: Waiting = {
        start() {
          signal.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        waiting.delete(entry);
        reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.add(entry);
    });
  }

  #mayStart(purpose: EmbedPurpose): boolean {
    const { search, documents } = this.#running;
    return search + documents < this.#total && (purpose === "search" || documents < this.#documents);
  }

  #startNext(): void {
    for (const purpose of ["search", "documents"] as const) {
      for (const entry of this.#waiting[purpose]) {
        if (!this.#mayStart(purpose)) break;
        this.#waiting[purpose].delete(entry);
        this.#running[purpose]++;
        entry.start();
      }
    }
  }
}

/** Runs all; the first failure breaks the others off and is the one that is thrown. */
export async function together<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  run: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  signal.throwIfAborted();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const pass = () => stop.abort(signal.reason);
  signal.addEventListener("abort", pass, { once: true });
  try {
    return await Promise.all(items.map((item) => run(item, stop.signal)));
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    signal.removeEventListener("abort", pass);
  }
}
