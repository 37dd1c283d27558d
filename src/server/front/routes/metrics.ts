/** `/metrics`: what the server does, in the form Prometheus reads. */

import { parseJson } from "../../../base/contract/json-body.ts";
import { TASK_STATUSES, TASK_TYPES, taskTypeName } from "../../../base/contract/task.ts";
import { limits } from "../../../base/limits.ts";
import { nowMicros } from "../../../base/time/time.ts";
import { type IndexTotals, indexTotals } from "../../../engine/answer/stats.ts";
import { EVERY_TASK, NO_FILTER } from "../../../storage/tasks/filter.ts";
import { bytesAnswer } from "../answer.ts";
import { MetricsText } from "../metrics.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { FrontSlices } from "../slices.ts";
import { clusterMetrics } from "./cluster-metrics.ts";
import { demandFeature } from "./common.ts";

const NAME = "meilisearch_";
const CONTENT_TYPE = "text/plain; version=0.0.4";

export function metricsRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/metrics",
      action: "metrics.get",
      body: "ignored",
      handle: async (request) => {
        demandFeature(services, "metrics", "Getting metrics");
        const out = new MetricsText();
        await indexMetrics(services, out, await totalsOf(services, request));
        await taskMetrics(services, out);
        searchMetrics(services, out);
        if (services.cluster !== null) clusterMetrics(services.cluster, out);
        services.requestMetrics().render(out);
        out.single("process_resident_memory_bytes", "gauge", "Memory of the process", process.memoryUsage.rss());
        return bytesAnswer(200, CONTENT_TYPE, await out.finish());
      },
    },
  ];
}

/** By a reader. Where none has time, here: who watches a server wants to see above all that it has too much to do. */
async function totalsOf({ readers, indexes }: Services, request: Request): Promise<IndexTotals> {
  const told = await readers.request("indexes.totals", {}, null, request).catch(() => null);
  if (told?.status === 200) return parseJson(told.body) as IndexTotals;
  const snapshot = indexes.pin();
  try {
    return indexTotals(snapshot.indexes());
  } finally {
    snapshot.release();
  }
}

async function indexMetrics(services: Services, out: MetricsText, totals: IndexTotals): Promise<void> {
  const usedBytes = services.store.sizeBytes() + totals.fileBytes;
  const name = `${NAME}index_docs_count`;
  const databaseBytes = Math.max(await services.databaseBytes(), usedBytes);
  out.single(`${NAME}db_size_bytes`, "gauge", "Size of the database", databaseBytes);
  out.single(`${NAME}used_db_size_bytes`, "gauge", "Part of the database in use", usedBytes);
  out.single(`${NAME}index_count`, "gauge", "Number of indexes", totals.counts.length);
  out.family(name, "gauge", "Documents by index");
  const slices = new FrontSlices();
  for (const [index, documents] of totals.counts) {
    out.sample(name, { index }, documents);
    if (slices.isOver) await slices.pause();
  }
  const lastUpdate = Math.floor((totals.lastUpdate ?? 0) / 1e6);
  out.single(`${NAME}last_update`, "gauge", "Last change of an index, unix seconds", lastUpdate);
}

async function taskMetrics(services: Services, out: MetricsText): Promise<void> {
  const { table, running } = services.tasks;
  const name = `${NAME}nb_tasks`;
  out.family(name, "gauge", "Tasks by status, type and index");
  const statuses = table.statusCounts();
  for (const status of TASK_STATUSES) out.sample(name, { kind: "statuses", value: status }, statuses[status]);
  const types = table.typeCounts();
  for (const type of TASK_TYPES) out.sample(name, { kind: "types", value: taskTypeName(type) }, types[type] ?? 0);
  const slices = new FrontSlices();
  for (const [index, count] of table.indexCounts()) {
    out.sample(name, { kind: "indexes", value: index }, count);
    if (slices.isOver) await slices.pause();
  }
  out.single(`${NAME}is_indexing`, "gauge", "1 while a batch runs", running.length === 0 ? 0 : 1);
  const trace = `${NAME}batch_running_progress_trace`;
  if (running.length > 0) out.family(trace, "gauge", "Share of each step of the running batches that is done");
  for (const { batch, progress } of running) {
    for (const { currentStep, finished, total } of progress ?? []) {
      const labels = { batch_uid: String(batch.uid), step_name: currentStep };
      out.sample(trace, labels, total === 0 ? 0 : finished / total);
    }
  }
  const used = services.store.sizeBytes();
  out.single(`${NAME}task_queue_max_size`, "gauge", "Bytes the task store may hold", limits.taskStoreBytes);
  out.single(`${NAME}task_queue_used_size`, "gauge", "Bytes the task store holds", used);
  out.single(
    `${NAME}task_queue_size_until_stop_registering`,
    "gauge",
    "Bytes until new tasks are refused",
    Math.max(0, limits.taskStoreBytes - used),
  );
  out.single(
    `${NAME}task_queue_latency_seconds`,
    "gauge",
    "Age of the oldest waiting task",
    oldestWaitingSeconds(services),
  );
}

function oldestWaitingSeconds({ tasks }: Services): number {
  const filter = { ...NO_FILTER, statuses: ["enqueued", "processing"] as const };
  const [oldest] = tasks.list(filter, { limit: 1, from: null, reverse: true }, EVERY_TASK).results;
  const enqueuedAt = oldest === undefined ? undefined : tasks.table.columns(oldest)?.enqueuedAt;
  return enqueuedAt === undefined ? 0 : Math.max(0, (nowMicros() - enqueuedAt) / 1e6);
}

function searchMetrics(services: Services, out: MetricsText): void {
  const { running, waiting, degraded } = services.searchCounts();
  out.single(`${NAME}search_queue_size`, "gauge", "Searches that may wait", services.info.searchQueueSize);
  out.single(`${NAME}searches_running`, "gauge", "Searches being answered", running);
  out.single(`${NAME}searches_waiting_to_be_processed`, "gauge", "Searches that wait", waiting);
  out.single(`${NAME}degraded_search_requests`, "counter", "Searches cut off by their deadline", degraded);
}
