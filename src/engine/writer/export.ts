/**
 * Sends indexes to another server over its HTTP interface: missing ones are created, settings and documents follow.
 * What the other server makes of them is its own business; here only its answers count. While it takes its time, nothing
 * changes in the index that is on its way, and other indexes go on: each is sent as it is when its turn comes.
 */

import { everyFeature } from "../../base/contract/features.ts";
import type { TaskContent, TaskRecord } from "../../base/contract/task.ts";
import { apiError } from "../../base/errors/errors.ts";
import { type Json, mapped } from "../../base/json/value.ts";
import { MIB } from "../../base/limits.ts";
import { bestMatch } from "../auth/patterns.ts";
import { readFilter } from "../filter/read.ts";
import { linesWithVectors } from "./documents-with-vectors.ts";
import { DocumentBodies } from "./export-bodies.ts";
import { ExportTarget } from "./export-target.ts";
import { matchingRows } from "./filtering.ts";
import type { IndexState } from "./index-state.ts";
import { type Change, succeeded, unchanged, type Work } from "./work.ts";
import { YieldBudget } from "./yield-budget.ts";

type Export = Extract<TaskContent, { type: "export" }>;
type Choice = Export["indexes"][string];

/** Room for what a server counts beyond the documents, and the least it is trusted to take. */
const PAYLOAD_MARGIN_BYTES = MIB;
const PAYLOAD_BYTES_MIN = 20 * MIB;

export async function exportIndexes(work: Work, tasks: readonly TaskRecord[]): Promise<Change> {
  const content = tasks[0]!.content as Export;
  const target = new ExportTarget(content.url, content.apiKey, work);
  const matched = new Map<string, number>();
  const uids = [...work.indexes.all()].map(({ uid }) => uid);
  for (const [i, uid] of uids.entries()) {
    work.progress.step(1, "exporting indexes", i, uids.length);
    const pattern = bestMatch(Object.keys(content.indexes), uid);
    if (pattern === null) continue;
    await work.moveTo(uid);
    const state = work.indexes.get(uid);
    if (state === null) continue;
    const documents = await exportIndex(work, target, state, content, content.indexes[pattern]!);
    matched.set(pattern, (matched.get(pattern) ?? 0) + documents);
  }
  const indexes = mapped(content.indexes, ({ filter, overrideSettings }, pattern): Json => {
    return { filter, overrideSettings, matchedDocuments: matched.get(pattern) ?? 0 };
  });
  return unchanged([succeeded({ indexes })]);
}

/** Other indexes may be asked only where the feature is on; the other features of filters are for searches. */
function checkForeign({ store }: Work, filter: Json): void {
  if (filter === null || !JSON.stringify(filter).includes("_foreign")) return;
  const foreignKeys = store.features.get("foreignKeys") === true;
  readFilter(filter, { ...everyFeature(), foreignKeys }, "invalid_document_filter");
}

/** Returns the number of documents that were sent. */
async function exportIndex(
  work: Work,
  target: ExportTarget,
  state: IndexState,
  content: Export,
  choice: Choice,
): Promise<number> {
  const { uid, manifest, problem } = state;
  if (problem !== null) throw apiError("internal", `Index \`${uid}\` cannot be read: ${problem}`);
  checkForeign(work, choice.filter);
  const rows = matchingRows(state, choice.filter);
  const total = rows.reduce((sum, matching) => sum + matching.count(), 0);
  const isNew = await target.createIfMissing(uid, manifest.primaryKey);
  if (isNew || choice.overrideSettings) await target.sendSettings(uid, manifest.settings);
  const bytesMax = content.payloadSize ?? Math.max(work.payloadBytesMax - PAYLOAD_MARGIN_BYTES, PAYLOAD_BYTES_MIN);
  const segments = state.segments.map(({ reader }, i) => ({ reader, rows: rows[i]! }));
  const bodies = new DocumentBodies(bytesMax, (body) => target.sendDocuments(uid, manifest.primaryKey, body));
  const budget = new YieldBudget(work);
  for (const lines of linesWithVectors(segments, manifest.settings).pieces) {
    await bodies.add(lines);
    work.progress.step(2, "document", bodies.documents, total);
    if (budget.isDue) await budget.take();
  }
  await bodies.finish();
  return total;
}
