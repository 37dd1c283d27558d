/**
 * Editing documents by a function: each document that passes the filter is handed to the script, and what comes out of
 * it replaces the stored version. A script that fails on one document fails the task; then nothing is changed.
 */

import type { TaskContent } from "../../base/contract/task.ts";
import { idsOf } from "../../base/document/id-list.ts";
import { apiError, indexNotFound } from "../../base/errors/errors.ts";
import { compileEdit, type EditProgram, runEdit } from "../../base/script/edit.ts";
import type { Batch } from "../../storage/tasks/batch.ts";
import { writeFold } from "./documents.ts";
import { runsInOrder } from "./documents-in-order.ts";
import { IndexDraft } from "./draft.ts";
import { EditedDocuments } from "./edited-documents.ts";
import { matchingRows } from "./filtering.ts";
import { Fold } from "./fold.ts";
import type { IndexState } from "./index-state.ts";
import { asApiError, type Change, succeeded, type Work } from "./work.ts";
import { YieldBudget } from "./yield-budget.ts";

type EditionBatch = Extract<Batch, { indexUid: string }> & { kind: "documentEdition" };
type Edition = Extract<TaskContent, { type: "documentEdition" }>;

export async function editDocuments(work: Work, batch: EditionBatch): Promise<Change> {
  const content = batch.tasks[0]!.content as Edition;
  const state = work.indexes.get(batch.indexUid);
  if (state === null) throw indexNotFound(batch.indexUid);
  work.indexes.mustBeSound(state);
  const program = compileEdit(content.function);
  if ("problem" in program) throw functionError(`The function does not compile: ${program.problem}`);
  const draft = new IndexDraft(state);
  const fold = new Fold(state, state.docids.free());
  const name = `edition-${batch.tasks[0]!.uid}`;
  const edited = new EditedDocuments((part) => work.indexes.payloadPath(`${name}-${part}`), state.manifest.primaryKey);
  try {
    const deletedDocuments = await work.patiently(editMatching(work, state, content, program, fold, edited));
    const ids = idsOf(edited.ids);
    for (let i = 0; i < edited.ids.length; i++) fold.replace(ids, i, edited.payloadOf(i), edited.placeOf(i), false);
    draft.addFields(edited.fields);
    work.progress.step(1, "extracting documents", 1, 2);
    await writeFold(work, draft, fold, edited.payloads);
    const details = { deletedDocuments, editedDocuments: edited.ids.length };
    return { put: [{ uid: batch.indexUid, draft }], remove: [], gone: [], outcomes: [succeeded(details)] };
  } catch (problem) {
    const error = asApiError(problem);
    throw error.code === "internal" ? problem : error.within(`Index \`${batch.indexUid}\`: `);
  } finally {
    await edited.dispose();
  }
}

/** Runs the function over every matching document; returns how many it deleted. */
async function editMatching(
  work: Work,
  state: IndexState,
  content: Edition,
  program: EditProgram,
  fold: Fold,
  edited: EditedDocuments,
): Promise<number> {
  const rows = matchingRows(state, content.filter);
  const segments = state.segments.map(({ reader }, i) => ({ reader, rows: rows[i]! }));
  const total = rows.reduce((sum, matching) => sum + matching.count(), 0);
  const budget = new YieldBudget(work);
  work.progress.step(1, "computing document changes", 0, 2);
  let seen = 0;
  let deleted = 0;
  for (const { reader, from, to } of runsInOrder(segments)) {
    for (let row = from; row < to; row++) {
      const id = reader.externalId(row);
      const outcome = runEdit(program, reader.readDocument(row), content.context);
      if (outcome.kind === "failed")
        throw functionError(`The function failed on document \`${id}\`: ${outcome.problem}`);
      if (outcome.kind === "deleted" && fold.delete(id)) deleted++;
      if (outcome.kind === "edited") await edited.add(id, outcome.document);
      if (budget.isDue) {
        work.progress.step(2, "document", seen, total);
        await budget.take();
      }
      seen++;
    }
  }
  await edited.finish();
  return deleted;
}

function functionError(message: string) {
  return apiError("edit_documents_by_function_error", message);
}
