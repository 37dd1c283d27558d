/** Counts and times of requests by route, in the text form Prometheus reads. Never holds anything a client sent. */
import { BodyPieces } from "./body-pieces.ts";

/** Upper bounds of the histogram, seconds. */
const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

interface RouteCounts {
  method: string;
  path: string;
  statuses: Map<number, number>;
  buckets: Uint32Array;
  count: number;
  seconds: number;
}

/** Answers of one route since the start: well, or with a status of an error. */
export interface RouteTotals {
  method: string;
  path: string;
  succeeded: number;
  failed: number;
}

export class RequestMetrics {
  readonly #routes: RouteCounts[];

  constructor(routes: readonly { method: string; path: string }[]) {
    this.#routes = routes.map(({ method, path }) => ({
      method,
      path,
      statuses: new Map(),
      buckets: new Uint32Array(BUCKETS_S.length),
      count: 0,
      seconds: 0,
    }));
  }

  record(routeId: number, status: number, seconds: number): void {
    const counts = this.#routes[routeId]!;
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
    counts.count++;
    counts.seconds += seconds;
    for (let i = BUCKETS_S.length - 1; i >= 0 && seconds <= BUCKETS_S[i]!; i--) counts.buckets[i]!++;
  }

  /** In the order of the routes. */
  totals(): RouteTotals[] {
    return this.#routes.map(({ method, path, statuses, count }) => {
      let failed = 0;
      for (const [status, answers] of statuses) if (status >= 400) failed += answers;
      return { method, path, succeeded: count - failed, failed };
    });
  }

  render(out: MetricsText): void {
    const used = this.#routes.filter((counts) => counts.count > 0);
    out.family("meilisearch_http_requests_total", "counter", "Requests by method, path and status");
    for (const { method, path, statuses } of used) {
      for (const [status, count] of statuses) {
        out.sample("meilisearch_http_requests_total", { method, path, status: String(status) }, count);
      }
    }
    const name = "meilisearch_http_response_time_seconds";
    out.family(name, "histogram", "Time from request to answer");
    for (const { method, path, buckets, count, seconds } of used) {
      for (const [i, bound] of BUCKETS_S.entries()) {
        out.sample(`${name}_bucket`, { method, path, le: String(bound) }, buckets[i]!);
      }
      out.sample(`${name}_bucket`, { method, path, le: "+Inf" }, count);
      out.sample(`${name}_sum`, { method, path }, seconds);
      out.sample(`${name}_count`, { method, path }, count);
    }
  }
}

/** Writes the exposition format: one HELP and TYPE a family, labels escaped. */
export class MetricsText {
  readonly #text = new BodyPieces();

  family(name: string, type: "counter" | "gauge" | "histogram", help: string): void {
    this.#text.add(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
  }

  sample(name: string, labels: Record<string, string>, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    this.#text.add(`${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`);
  }

  /** A family with one sample and no labels. */
  single(name: string, type: "counter" | "gauge", help: string, value: number): void {
    this.family(name, type, help);
    this.sample(name, {}, value);
  }

  finish(): string | Promise<Uint8Array> {
    return this.#text.whole();
  }
}

function escapeLabel(text: string): string {
  return text.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`));
}
