/** Which work each kind of batch is. */

import { indexNotFound, readableSize } from "../../base/errors/errors.ts";
import type { Batch } from "../../storage/tasks/batch.ts";
import { applyClear } from "./clear.ts";
import { applyDocuments } from "./documents.ts";
import { IndexDraft } from "./draft.ts";
import { createDump } from "./dump.ts";
import { editDocuments } from "./edit.ts";
import { exportIndexes } from "./export.ts";
import { createIndex, deleteIndex, swapIndexes, updateIndex } from "./index-tasks.ts";
import type { Merger } from "./merges.ts";
import { applySearchRules } from "./search-rules.ts";
import { applySettings } from "./settings.ts";
import { createSnapshot } from "./snapshot.ts";
import { type Change, succeeded, unchanged, type Work } from "./work.ts";

export async function perform(work: Work, batch: Batch, merger: Merger): Promise<Change> {
  switch (batch.kind) {
    case "documents":
      return applyDocuments(work, batch);
    case "clear":
      return applyClear(work, batch);
    case "settings":
    case "clearAndSettings":
      return applySettings(work, batch);
    case "documentEdition":
      return editDocuments(work, { ...batch, kind: batch.kind });
    case "indexCreation":
      return createIndex(work, { ...batch, kind: batch.kind });
    case "indexUpdate":
      return updateIndex(work, { ...batch, kind: batch.kind });
    case "indexDeletion":
      return deleteIndex(work, batch);
    case "indexSwap":
      return swapIndexes(work, batch);
    case "indexCompaction":
      return compactIndex(work, batch.indexUid, merger);
    case "searchRules":
      return applySearchRules(work, batch.tasks);
    case "dump":
      return createDump(work, batch.tasks);
    case "snapshots":
      return createSnapshot(work, batch.tasks);
    case "export":
      return exportIndexes(work, batch.tasks);
    // Nothing but the records of tasks changes: the runner sees to it.
    case "taskCancelation":
    case "taskDeletions":
    case "networkTopologyChange":
      return unchanged(batch.tasks.map(() => succeeded()));
    // The store is in its new form since it was opened; what cannot be read any more is told here.
    case "upgradeDatabase":
      for (const state of work.indexes.all()) work.indexes.mustBeSound(state);
      return unchanged(batch.tasks.map(() => succeeded()));
  }
}

/** What is left of a batch that failed: the index that its tasks were to create, without anything in it. */
export function afterFailure({ indexes }: Pick<Work, "indexes">, batch: Batch): Change {
  if (batch.kind !== "documents" && batch.kind !== "settings" && batch.kind !== "clearAndSettings")
    return unchanged([]);
  if (!batch.allowIndexCreation || indexes.get(batch.indexUid) !== null) return unchanged([]);
  const draft = new IndexDraft(indexes.create(batch.indexUid));
  return { put: [{ uid: batch.indexUid, draft }], remove: [], gone: [], outcomes: [] };
}

async function compactIndex(work: Work, uid: string, merger: Merger): Promise<Change> {
  const state = work.indexes.get(uid);
  if (state === null) throw indexNotFound(uid);
  work.indexes.mustBeSound(state);
  const size = (segments: readonly { entry: { fileBytes: number } }[]) =>
    readableSize(segments.reduce((sum, { entry }) => sum + entry.fileBytes, 0));
  const preCompactionSize = size(state.segments);
  if (state.segments.length === 0) {
    return unchanged([succeeded({ preCompactionSize, postCompactionSize: preCompactionSize })]);
  }
  const draft = await merger.compact(state);
  const outcomes = [succeeded({ preCompactionSize, postCompactionSize: size(draft.segments) })];
  return { put: [{ uid, draft }], remove: [], gone: [], outcomes };
}
