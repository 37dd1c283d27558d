/**
 * A batch of document additions, updates and deletions: payloads are read, folded per document, built into segments.
 * A payload that cannot be used fails its own task; everything else of the batch goes on.
 */

import type { TaskContent, TaskRecord } from "../../base/contract/task.ts";
import { VECTORS_FIELD } from "../../base/document/pick.ts";
import { primaryKeyAlreadyExists } from "../../base/errors/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Batch } from "../../storage/tasks/batch.ts";
import type { TaskOutcome } from "../../storage/tasks/results.ts";
import { batchError } from "./blame.ts";
import { buildLots } from "./build.ts";
import { IndexDraft } from "./draft.ts";
import { Embedding } from "./embedding/embedding.ts";
import { matchingIds } from "./filtering.ts";
import { Fold } from "./fold.ts";
import type { IndexState } from "./index-state.ts";
import { PayloadReads, type ReadPayload } from "./payload-reads.ts";
import { idsIn } from "./payloads.ts";
import { type PayloadPlace, planLots } from "./plan.ts";
import { asApiError, type Change, failed, succeeded, type Work } from "./work.ts";

type Import = Extract<TaskContent, { type: "documentAdditionOrUpdate" }>;

const SPLIT_BYTES = 1024 * 1024;

export async function applyDocuments(work: Work, batch: Extract<Batch, { kind: "documents" }>): Promise<Change> {
  const { indexes } = work;
  const state = indexes.openOrCreate(batch.indexUid, batch.allowIndexCreation);
  const draft = new IndexDraft(state);
  const fold = new Fold(state, state.docids.free());
  const payloads: PayloadPlace[] = [];
  const reads = new PayloadReads(work, batch.tasks);
  const outcomes: TaskOutcome[] = [];

  work.progress.step(1, "assigning documents ids", 0, 2);
  for (const [i, task] of batch.tasks.entries()) {
    work.checkpoint();
    try {
      outcomes.push(
        await foldTask(work, task, batch.onlyDeletions, draft, fold, payloads, (key) => reads.read(i, key)),
      );
    } catch (problem) {
      outcomes.push(failed(asApiError(problem).body()));
    }
    work.progress.step(2, "task", i + 1, batch.tasks.length);
  }

  work.progress.step(1, "extracting documents", 1, 2);
  try {
    await writeFold(work, draft, fold, payloads);
  } catch (problem) {
    throw batchError(problem, batch.indexUid);
  }
  return { put: [{ uid: batch.indexUid, draft }], remove: [], gone: [], outcomes };
}

/** Puts what the fold came to into the draft: stored versions go, new ones are built. */
export async function writeFold(
  work: Work,
  draft: IndexDraft,
  fold: Fold,
  payloads: readonly PayloadPlace[],
): Promise<void> {
  const { segments } = draft.state;
  const isPlain = fold.plainRuns !== null;
  if (isPlain) draft.takeDocids(fold.docids.subarray(0, fold.size));
  for (let entry = 0; !isPlain && entry < fold.size; entry++) {
    if (fold.touched[entry] === 0) continue;
    const segment = fold.storedSegment[entry]!;
    if (segment >= 0) draft.deleteRow(segments[segment]!, fold.storedRow[entry]!);
    if (fold.present[entry] === 1) draft.takeDocid(fold.docids[entry]!);
    else draft.freeDocid(fold.docids[entry]!);
  }
  const sizes = {
    lotBytes: limits.lotBytes,
    threads: work.builders,
    splitBytes: SPLIT_BYTES,
    documentsMax: Embedding.documentsMax(draft.settings),
    shards: draft.state.manifest.shards,
  };
  const path = (segment: IndexState["segments"][number]) =>
    work.indexes.segmentPath(draft.state.manifest.id, segment.entry.file);
  const embedders = draft.fieldOrder.includes(VECTORS_FIELD) ? Object.keys(draft.settings.embedders) : [];
  const plans = planLots({ fold, payloads, segments, embedders }, path, sizes);
  if (plans.length > 0) await buildLots(work, draft, plans, () => "changed");
}

/** Gives the payload of a task, whose documents have their ids under this key. */
type ReadOwn = (primaryKey: string | null) => Promise<ReadPayload>;

async function foldTask(
  work: Work,
  task: TaskRecord,
  onlyDeletions: boolean,
  draft: IndexDraft,
  fold: Fold,
  payloads: PayloadPlace[],
  read: ReadOwn,
): Promise<TaskOutcome> {
  const { content } = task;
  if (content.type === "documentAdditionOrUpdate") return foldImport(content, draft, fold, payloads, read);
  if (content.type !== "documentDeletion" || content.by === "all")
    throw new Error(`no document operation: ${content.type}`);
  const ids = content.by === "filter" ? matchingIds(draft.state, content.filter) : idsIn(work, content);
  const distinct = new Set(ids);
  let removed = 0;
  for (const id of distinct) if (fold.delete(id)) removed++;
  return succeeded({ deletedDocuments: onlyDeletions || content.by === "filter" ? removed : distinct.size });
}

async function foldImport(
  content: Import,
  draft: IndexDraft,
  fold: Fold,
  payloads: PayloadPlace[],
  read: ReadOwn,
): Promise<TaskOutcome> {
  const { primaryKey } = draft;
  const asked = content.primaryKey;
  // A replacement may name any key once the index has documents: it is ignored. Others must name the right one.
  const hasDocuments = draft.state.manifest.documentCount > 0 || payloads.length > 0;
  const isIgnored = content.method === "replace" && hasDocuments;
  if (primaryKey !== null && asked !== null && asked !== primaryKey && !isIgnored) {
    throw primaryKeyAlreadyExists(draft.state.uid, primaryKey);
  }
  const payload = await read(primaryKey ?? asked);
  if (payload.error !== null) throw payload.error;
  if (payload.primaryKey !== null) {
    if (primaryKey === null && asked !== null) draft.addFields([asked]);
    draft.primaryKey = payload.primaryKey;
  }
  draft.addFields(payload.fields);
  const number = payloads.push(payload) - 1;
  return succeeded({
    indexedDocuments: fold.addAll(content.method, payload.ids, number, content.skipCreation, payload.isAscending),
  });
}
