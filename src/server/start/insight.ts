/** Has searches counted, where the operator wants it, and lets the counts follow the indexes. */
import { join } from "node:path";
import { Insight } from "../../base/insight/insight.ts";
import type { Log } from "../../base/log/log.ts";
import type { Catalog } from "../../storage/index/catalog.ts";
import type { Ended } from "../front/writer-link.ts";
import type { Options } from "../options/options.ts";

const FOLDER = "insight";

export function startInsight({ analyticsLocal, dbPath }: Options, log: Log): Insight | null {
  return analyticsLocal ? new Insight({ folder: join(dbPath, FOLDER), log }) : null;
}

/** Indexes that went while nobody counted. */
export function forgetMissing(insight: Insight | null, catalog: Catalog): void {
  if (insight === null) return;
  const snapshot = catalog.pin();
  try {
    insight.keepIndexes(new Set(snapshot.indexes().map(({ uid }) => uid)));
  } finally {
    snapshot.release();
  }
}

/** Counts go with their index, and move when it is renamed. Of indexes that are exchanged they stay: people search names. */
export function followIndexes(insight: Insight | null, { tasks, renames }: Ended): void {
  if (insight === null) return;
  for (const { type, status, indexUid, details } of tasks.heads()) {
    if (status !== "succeeded" || indexUid === null) continue;
    if (type === "indexDeletion") insight.forget(indexUid);
    const { oldIndexUid: from, newIndexUid: to } = details ?? {};
    if (type === "indexUpdate" && typeof from === "string" && typeof to === "string") insight.rename(from, to);
  }
  for (const [from, to] of renames?.names ?? []) if (!renames?.names.has(to)) insight.rename(from, to);
}
