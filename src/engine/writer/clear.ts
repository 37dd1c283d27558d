/** A batch that deletes all documents of an index, and keeps its settings. */
import type { TaskRecord } from "../../base/contract/task.ts";
import type { Batch } from "../../storage/tasks/batch.ts";
import type { TaskOutcome } from "../../storage/tasks/results.ts";
import { IndexDraft } from "./draft.ts";
import { type Change, succeeded, type Work } from "./work.ts";

export function applyClear(work: Work, batch: Extract<Batch, { kind: "clear" }>): Change {
  const state = work.indexes.openOrCreate(batch.indexUid, batch.allowIndexCreation);
  const draft = new IndexDraft(state);
  clearDraft(draft);
  const outcomes = clearedOutcomes(batch.tasks, state.manifest.documentCount);
  return { put: [{ uid: batch.indexUid, draft }], remove: [], gone: [], outcomes };
}

export function clearDraft(draft: IndexDraft): void {
  for (const segment of draft.state.segments) draft.dropSegment(segment);
  draft.freeAllDocids();
}

/**
 * The first deletion counts the documents, later ones find none. Tasks whose work the deletion made void succeed with the
 * counters that they have.
 */
export function clearedOutcomes(tasks: readonly TaskRecord[], documents: number): TaskOutcome[] {
  let left = documents;
  return tasks.map(({ content }) => {
    if (content.type !== "documentDeletion" || content.by !== "all") return succeeded();
    const deletedDocuments = left;
    left = 0;
    return succeeded({ deletedDocuments });
  });
}
