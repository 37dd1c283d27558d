/**
 * Usage data in batches: collected for an hour, or until there is much of it, then begun anew. A batch is sent only to the
 * address that the operator has set, if one is; without it nothing leaves the server.
 */
import type { JsonObject } from "../../../base/json/value.ts";
import type { Log } from "../../../base/log/log.ts";
import type { Outgoing } from "../../../base/net/outgoing.ts";

import { formatTime, nowMicros } from "../../../base/time/time.ts";
import type { RouteTotals } from "../metrics.ts";
import type { Services } from "../services.ts";
import { type FixedFacts, instanceFacts, requestCounts } from "./report.ts";
import type { Usage } from "./usage.ts";

const BATCH_MS = 3_600_000;
const BATCH_BYTES = 500_000;
/** How often it is looked whether the batch is complete. */
const LOOK_MS = 60_000;
const SEND_MS_MAX = 30_000;

export interface TelemetrySetup {
  url: string | null;
  facts: FixedFacts;
  usage: Usage;
  outgoing: Pick<Outgoing, "send">;
  log: Log;
  /** Of several servers only the one that leads sends its own. */
  leads?(): boolean;
  /** When a batch is complete, where it is not an hour and 500 kB. */
  bounds?: { ms: number; bytes: number; lookMs: number };
}

type Sources = Parameters<typeof instanceFacts>[0] &
  Pick<Services, "requestMetrics" | "searchCounts" | "databaseBytes">;

export class Telemetry {
  readonly #setup: TelemetrySetup;
  readonly #services: Sources;
  readonly #bounds: { ms: number; bytes: number; lookMs: number };
  readonly #timer: NodeJS.Timeout;
  #begunAt = nowMicros();
  #requests: readonly RouteTotals[] = [];
  #degraded = 0;
  #last: JsonObject | null = null;

  constructor(setup: TelemetrySetup, services: Sources) {
    this.#setup = setup;
    this.#services = services;
    this.#bounds = setup.bounds ?? { ms: BATCH_MS, bytes: BATCH_BYTES, lookMs: LOOK_MS };
    this.#begin();
    this.#timer = setInterval(() => void this.#look(), this.#bounds.lookMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The batch that is being collected, and the one before it. */
  async view(): Promise<JsonObject> {
    const databaseBytes = await this.#services.databaseBytes();
    return { sentTo: this.#setup.url, batch: this.#batch(databaseBytes), lastBatch: this.#last };
  }

  #begin(): void {
    this.#setup.usage.clear();
    this.#begunAt = nowMicros();
    this.#requests = this.#services.requestMetrics().totals();
    this.#degraded = this.#services.searchCounts().degraded;
  }

  #batch(databaseBytes: number): JsonObject {
    const from = formatTime(this.#begunAt);
    const to = formatTime(nowMicros());
    return { from, to, ...instanceFacts(this.#services, this.#setup.facts, databaseBytes), ...this.#counts() };
  }

  #counts(): JsonObject {
    const { searchParameters, taskFilters, federatedSearches } = this.#setup.usage.counts();
    const totals = this.#services.requestMetrics().totals();
    const degraded = this.#services.searchCounts().degraded - this.#degraded;
    const exports = exportsIn(totals) - exportsIn(this.#requests);
    const requests = requestCounts(this.#requests, totals, degraded);
    return { requests, searchParameters, federatedSearches, taskFilters, exports };
  }

  async #look(): Promise<void> {
    if (!this.#isComplete()) return;
    const databaseBytes = await this.#services.databaseBytes().catch(() => 0);
    // Meanwhile another look may have ended it.
    if (!this.#isComplete()) return;
    const batch = this.#batch(databaseBytes);
    this.#last = batch;
    this.#begin();
    this.#send(JSON.stringify(batch));
  }

  /** Only counts grow, so that only they are measured. */
  #isComplete(): boolean {
    const isOver = nowMicros() - this.#begunAt >= this.#bounds.ms * 1000;
    return isOver || JSON.stringify(this.#counts()).length >= this.#bounds.bytes;
  }

  #send(body: string): void {
    const { url, outgoing, log } = this.#setup;
    if (url === null || this.#setup.leads?.() === false) return;
    const headers = { "content-type": "application/json" };
    outgoing.send({ method: "POST", url, headers, body, timeoutMs: SEND_MS_MAX }).then(
      ({ status }) => log.debug("telemetry", "a batch of usage data was sent", { status }),
      (problem: Error) => log.debug("telemetry", "a batch of usage data could not be sent", { cause: problem.message }),
    );
  }
}

function exportsIn(totals: readonly RouteTotals[]): number {
  const route = totals.find(({ path }) => path === "/export");
  return route?.succeeded ?? 0;
}
