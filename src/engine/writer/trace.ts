/** What a batch tells of itself besides its outcomes: requests, congestion, sizes, and progress now and then. */

import type { EmbedderRequests } from "../../base/contract/task.ts";
import { readableSize } from "../../base/errors/errors.ts";
import type { BatchTrace } from "../../storage/tasks/results.ts";
import type { RequestCounts } from "../vector/embed/messages.ts";
import type { BuildCounts, Change } from "./work.ts";

/** Progress is for people to look at: more often than this helps nobody. */
const PROGRESS_INTERVAL_MS = 50;

export function requestsOf(requests: RequestCounts): Pick<BatchTrace, "embedderRequests"> {
  return requests.total === 0 ? {} : { embedderRequests: requestsView(requests) };
}

export function requestsView({ total, failed, lastError }: RequestCounts): EmbedderRequests {
  return { total, failed, ...(lastError === null ? {} : { lastError }) };
}

export function congestionOf({ total, waited }: BuildCounts): Pick<BatchTrace, "writeChannelCongestion"> {
  if (total === 0) return {};
  return { writeChannelCongestion: { attempts: total, blocking_attempts: waited, blocking_ratio: waited / total } };
}

/** Sizes that the finished drafts of a change differ in from before. */
export function sizeChanges({ put }: Change): Pick<BatchTrace, "internalDatabaseSizes"> {
  const internalDatabaseSizes: Record<string, string> = {};
  const sizes = put.map(({ draft }) => draft.sizes);
  for (const name of ["documents", "searchStructures"] as const) {
    const before = sizes.reduce((sum, each) => sum + each.before[name], 0);
    const after = sizes.reduce((sum, each) => sum + each.after[name], 0);
    if (after === before) continue;
    const sign = after > before ? "+" : "-";
    internalDatabaseSizes[name] = `${readableSize(after)} (${sign}${readableSize(Math.abs(after - before))})`;
  }
  return Object.keys(internalDatabaseSizes).length === 0 ? {} : { internalDatabaseSizes };
}

export function throttled<T>(show: (value: T) => void): (value: T) => void {
  let last = 0;
  return (value) => {
    const now = performance.now();
    if (now - last < PROGRESS_INTERVAL_MS) return;
    last = now;
    show(value);
  };
}
