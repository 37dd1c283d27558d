import { applySettingsUpdate, whatMustRebuild } from "../index/settings-update.ts";
import type { Batch } from "../tasks/batch.ts";
import type { TaskRecord } from "../tasks/task.ts";
import { addSegments } from "./build.ts";
import { clearDraft, clearedOutcomes } from "./clear.ts";
import { IndexDraft } from "./draft.ts";
import { asApiError, type Change, succeeded, type Work } from "./work.ts";

export async function applySettings(
  work: Work,
  batch: Extract<Batch, { kind: "settings" | "clearAndSettings" }>,
): Promise<Change> {
  const { indexes, progress } = work;
  const state = indexes.openOrCreate(batch.indexUid, batch.allowIndexCreation);
  const draft = new IndexDraft(state);
  progress.step(1, "retrieving and merging the settings");
  for (const task of batch.tasks) mergeTask(task, draft);
  const documents = state.manifest.documentCount;
  if (batch.kind === "clearAndSettings") clearDraft(draft);
  progress.step(1, "apply the settings");
  const rebuild = whatMustRebuild(state.manifest.settings, draft.settings);
  if (batch.kind === "settings" && (rebuild.text || rebuild.facets || rebuild.vectors))
    await rebuildSegments(work, draft);
  const outcomes =
    batch.kind === "settings" ? batch.tasks.map(() => succeeded()) : clearedOutcomes(batch.tasks, documents);
  return { put: [{ uid: batch.indexUid, draft }], remove: [], gone: [], outcomes };
}

function mergeTask(task: TaskRecord, draft: IndexDraft): void {
  if (task.content.type !== "settingsUpdate") return;
  draft.settings = applySettingsUpdate(draft.settings, task.content.settings);
}

async function rebuildSegments(work: Work, draft: IndexDraft): Promise<void> {
  const { state } = draft;
  let finished = 0;
  try {
    await addSegments(work, draft, state.segments, async (segment, output) => {
      const path = work.indexes.segmentPath(state.manifest.id, segment.entry.file);
      const input = { path, deleted: segment.entry.deleted, settings: draft.settings, output };
      const summary = await work.helpers.run("segment.rebuild", input);
      work.progress.step(2, "document", ++finished, state.segments.length);
      return summary;
    });
  } catch (problem) {
    const error = asApiError(problem);
    throw error.code === "internal" ? problem : error.within(`Index \`${state.uid}\`: `);
  }
  for (const segment of state.segments) draft.dropSegment(segment);
}
