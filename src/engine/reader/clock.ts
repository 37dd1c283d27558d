/** The time of one request on a reader: how long it waited, how long it takes, and by which steps. */

import { apiError } from "../../base/errors/errors.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import { clockMs } from "../../base/time/clock.ts";
import type { SearchCall } from "../link/requests.ts";

export class SearchClock {
  /** Between the arrival of the request and its turn. */
  readonly waitedMs: number;
  /** Of this thread's `performance.now()`, milliseconds. */
  readonly startedAt: number;
  /** When it was first begun, where that is not now. */
  readonly #since: number | null;
  /** A name and a duration each, in the order in which they ended. */
  readonly #steps: [name: string, ms: number][] = [];

  /** Refuses a search that has waited too long: whoever asked is gone. */
  constructor({ arrivedAt, dropAfterMs, since }: Pick<SearchCall, "arrivedAt" | "dropAfterMs" | "since">) {
    const now = clockMs();
    this.#since = since ?? null;
    const begunMs = since === undefined ? 0 : Math.max(0, now - since);
    this.startedAt = performance.now() - begunMs;
    this.waitedMs = Math.max(0, now - begunMs - arrivedAt);
    if (this.waitedMs > dropAfterMs) {
      throw apiError("too_many_search_requests", "The search waited too long for its turn. Retry after 10s.");
    }
    this.#steps.push(["wait for a reader", this.waitedMs]);
  }

  /** For the next query of the same request: its time begins now, the wait stays. */
  again(): SearchClock {
    const dropAfterMs = Number.POSITIVE_INFINITY;
    // What is done in several rounds has the time of all of them.
    if (this.#since !== null)
      return new SearchClock({ arrivedAt: this.#since - this.waitedMs, dropAfterMs, since: this.#since });
    return new SearchClock({ arrivedAt: clockMs() - this.waitedMs, dropAfterMs });
  }

  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  /** In this thread's `performance.now()`: the time an index allows counts from the arrival. */
  deadline(searchCutoffMs: number | null): number {
    return this.startedAt - this.waitedMs + (searchCutoffMs ?? limits.searchCutoffMs);
  }

  /** Runs a step and adds what it took to all steps of that name. */
  step<Result>(name: string, run: () => Result): Result {
    const from = performance.now();
    try {
      return run();
    } finally {
      this.#steps.push([name, performance.now() - from]);
    }
  }

  /** Step name to duration, as shown to whoever asks for it. */
  details(): JsonObject {
    const sums = new Map<string, number>();
    for (const [name, ms] of this.#steps) sums.set(name, (sums.get(name) ?? 0) + ms);
    const shown: JsonObject = {};
    for (const [name, ms] of sums) shown[name] = readableDuration(ms);
    shown["search"] = readableDuration(this.elapsedMs);
    return shown;
  }
}

function readableDuration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)}s`;
  return ms >= 1 ? `${ms.toFixed(2)}ms` : `${(ms * 1000).toFixed(2)}µs`;
}
