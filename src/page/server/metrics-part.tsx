/** What the server is doing: size, documents and waiting tasks always; requests, latencies and memory where metrics are on. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, open } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import type { Page, Stats, Task } from "../api/types.ts";
import { Chart } from "../parts/chart.tsx";
import { Problem } from "../parts/feedback.tsx";
import { bytesText, countText } from "../parts/format.ts";
import { key } from "../state/key.ts";
import { whenVisible } from "../state/visible.ts";
import { bucketsOf, percentile, type Sample, samplesIn, sumOf } from "./metrics.ts";

const LOOK_MS = 2000;
const KEPT = 60;

interface Look {
  at: number;
  stats: Stats;
  waiting: number;
  /** Null where metrics are off. */
  samples: Sample[] | null;
}

async function look(): Promise<Look> {
  const [stats, tasks, samples] = await Promise.all([
    ask<Stats>("GET", "/stats"),
    ask<Page<Task>>("GET", "/tasks?statuses=enqueued,processing&limit=1"),
    open("GET", "/metrics").then(
      async (response) => samplesIn(await response.text()),
      () => null,
    ),
  ]);
  return { at: performance.now(), stats, waiting: tasks.total, samples };
}

export function MetricsPart() {
  const looks = useSignal<readonly Look[]>([]);
  const problem = useSignal<RequestProblem | null>(null);
  useEffect(() => {
    const end = new AbortController();
    const go = async (): Promise<void> => {
      while (!end.signal.aborted) {
        try {
          const next = await look();
          looks.value = [...looks.value, next].slice(-KEPT);
          problem.value = null;
        } catch (error) {
          problem.value = problemOf(error);
        }
        await new Promise((resume) => setTimeout(resume, LOOK_MS));
        await whenVisible(end.signal);
      }
    };
    void go();
    return () => end.abort();
  }, [key.value]);
  const all = looks.value;
  const documents = ({ stats }: Look): number =>
    Object.values(stats.indexes).reduce((sum, index) => sum + index.numberOfDocuments, 0);
  return (
    <section aria-label="Metrics">
      <h2>Now</h2>
      <Problem problem={problem.value} />
      <div class="columns narrow">
        <Chart title="Documents" values={all.map(documents)} show={countText} />
        <Chart title="Size on disk" values={all.map(({ stats }) => stats.databaseSize)} show={bytesText} />
        <Chart title="Tasks in the queue" values={all.map(({ waiting }) => waiting)} show={countText} />
        <RequestCharts looks={all} />
      </div>
      {all.length > 0 && all.at(-1)!.samples === null && (
        <p class="quiet">
          Requests, latencies and memory show when the feature “metrics” is on, and the key may see them.
        </p>
      )}
    </section>
  );
}

const REQUESTS = "meilisearch_http_requests_total";
const BUCKETS = "meilisearch_http_response_time_seconds_bucket";

function RequestCharts({ looks }: { looks: readonly Look[] }) {
  const measured = looks.filter(({ samples }) => samples !== null);
  if (measured.length === 0) return null;
  const pairs = measured.slice(1).map((after, i) => [measured[i]!, after] as const);
  const rates = pairs.map(
    ([before, after]) =>
      ((sumOf(after.samples!, REQUESTS) - sumOf(before.samples!, REQUESTS)) * 1000) / (after.at - before.at),
  );
  const within = (share: number): number[] =>
    pairs.flatMap(
      ([before, after]) =>
        percentile(bucketsOf(before.samples!, BUCKETS), bucketsOf(after.samples!, BUCKETS), share) ?? [],
    );
  const waiting = measured.map(({ samples }) => sumOf(samples!, "meilisearch_searches_waiting_to_be_processed"));
  const memory = measured.map(({ samples }) => sumOf(samples!, "process_resident_memory_bytes"));
  const ms = (seconds: number): string => `≤ ${Number((seconds * 1000).toPrecision(3))} ms`;
  return (
    <>
      <Chart title="Requests a second" values={rates} show={(rate) => rate.toFixed(1)} />
      <Chart title="Median latency" values={within(0.5)} show={ms} />
      <Chart title="Latency, p99" values={within(0.99)} show={ms} />
      <Chart title="Searches waiting" values={waiting} show={countText} />
      <Chart title="Memory" values={memory} show={bytesText} />
    </>
  );
}
