/** Tasks that create, change, delete, rename or swap whole indexes. */

import type { TaskContent } from "../../base/contract/task.ts";
import {
  indexAlreadyExists,
  indexesNotFound,
  indexNotFound,
  primaryKeyAlreadyExists,
} from "../../base/errors/errors.ts";
import type { Batch } from "../../storage/tasks/batch.ts";
import { IndexDraft } from "./draft.ts";
import type { IndexState } from "./index-state.ts";
import { type Change, failed, succeeded, unchanged, type Work } from "./work.ts";

type OnIndex<K> = Extract<Batch, { indexUid: string }> & { kind: K };

export function createIndex(work: Work, batch: OnIndex<"indexCreation">): Change {
  const content = batch.tasks[0]!.content as Extract<TaskContent, { type: "indexCreation" }>;
  if (work.indexes.get(batch.indexUid) !== null) throw indexAlreadyExists(batch.indexUid);
  const draft = new IndexDraft(work.indexes.create(batch.indexUid));
  setPrimaryKey(draft, content.primaryKey);
  return { put: [{ uid: batch.indexUid, draft }], remove: [], gone: [], outcomes: [succeeded()] };
}

export function updateIndex(work: Work, batch: OnIndex<"indexUpdate">): Change {
  const content = batch.tasks[0]!.content as Extract<TaskContent, { type: "indexUpdate" }>;
  const state = existing(work, batch.indexUid);
  const { primaryKey, newIndexUid } = content;
  const { manifest } = state;
  if (primaryKey !== null && manifest.documentCount > 0 && primaryKey !== manifest.primaryKey) {
    throw primaryKeyAlreadyExists(batch.indexUid, manifest.primaryKey ?? primaryKey);
  }
  if (newIndexUid !== null && newIndexUid !== batch.indexUid && work.indexes.get(newIndexUid) !== null) {
    throw indexAlreadyExists(newIndexUid);
  }
  const uid = newIndexUid ?? batch.indexUid;
  const staysAsItIs = uid === batch.indexUid && (primaryKey === null || primaryKey === manifest.primaryKey);
  if (staysAsItIs) return unchanged([succeeded()]);
  const draft = new IndexDraft(state);
  if (primaryKey !== null) setPrimaryKey(draft, primaryKey);
  const remove = uid === batch.indexUid ? [] : [batch.indexUid];
  return { put: [{ uid, draft }], remove, gone: [], outcomes: [succeeded()] };
}

/** The deletion is the last task; what stood before it in the queue is done with by it. */
export function deleteIndex(work: Work, batch: Extract<Batch, { kind: "indexDeletion" }>): Change {
  const state = work.indexes.get(batch.indexUid);
  if (state === null && !batch.allowIndexCreation) {
    const missing = indexNotFound(batch.indexUid).body();
    return unchanged(batch.tasks.map(() => failed(missing)));
  }
  const outcomes = batch.tasks.map(({ content }) => {
    if (content.type === "indexDeletion") return succeeded({ deletedDocuments: state?.manifest.documentCount ?? 0 });
    if (content.type === "documentAdditionOrUpdate") return succeeded({ indexedDocuments: 0 });
    if (content.type === "documentDeletion") return succeeded({ deletedDocuments: 0 });
    return succeeded();
  });
  return { put: [], remove: [batch.indexUid], gone: state === null ? [] : [state], outcomes };
}

/** All swaps of the task or none; with `rename` the second name must be free and the first one moves to it. */
export function swapIndexes(work: Work, batch: Batch): Change {
  const content = batch.tasks[0]!.content as Extract<TaskContent, { type: "indexSwap" }>;
  const missing = new Set<string>();
  for (const { indexes, rename } of content.swaps) {
    for (const uid of rename ? indexes.slice(0, 1) : indexes) if (work.indexes.get(uid) === null) missing.add(uid);
  }
  if (missing.size > 0) throw indexesNotFound([...missing].sort());
  const change: Change = { put: [], remove: [], gone: [], outcomes: [succeeded()] };
  for (const { indexes, rename } of content.swaps) {
    const [left, right] = indexes;
    if (rename && work.indexes.get(right) !== null) throw indexAlreadyExists(right);
    change.put.push({ uid: right, draft: new IndexDraft(existing(work, left)) });
    if (rename) change.remove.push(left);
    else change.put.push({ uid: left, draft: new IndexDraft(existing(work, right)) });
  }
  return change;
}

function existing(work: Work, uid: string): IndexState {
  const state = work.indexes.get(uid);
  if (state === null) throw indexNotFound(uid);
  work.indexes.mustBeSound(state);
  return state;
}

/** A key that is set before any document comes first in the order of fields. */
function setPrimaryKey(draft: IndexDraft, primaryKey: string | null): void {
  draft.primaryKey = primaryKey;
  if (primaryKey !== null) draft.addFields([primaryKey]);
}
