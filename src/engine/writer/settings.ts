/**
 * A batch of settings updates: merged into one, applied, and everything built anew that they make stale. An update that
 * cannot be merged, or whose embedders fail their trial, fails alone.
 */

import type { TaskRecord } from "../../base/contract/task.ts";
import { ApiError } from "../../base/errors/errors.ts";
import { limits } from "../../base/limits.ts";
import type { SegmentSummary } from "../../storage/segment/container.ts";
import { dimensionsOf, embedderRules } from "../../storage/settings/embedders.ts";
import { generatorsOf, makesVectors, renewalOf } from "../../storage/settings/generators.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { applySettingsUpdate, whatMustRebuild } from "../../storage/settings/update.ts";
import type { Batch } from "../../storage/tasks/batch.ts";
import type { OutdatedEmbedders, RemovedEmbedder, ResizedEmbedder } from "../build/stored-vectors.ts";
import { batchError } from "./blame.ts";
import { addSegments, buildLots } from "./build.ts";
import { clearDraft, clearedOutcomes } from "./clear.ts";
import { IndexDraft } from "./draft.ts";
import { withDimensions } from "./embedding/dimensions.ts";
import { Embedding } from "./embedding/embedding.ts";
import type { WriterSegment } from "./index-state.ts";
import { planStored } from "./plan.ts";
import { type Change, failed, unchanged, type Work } from "./work.ts";

export async function applySettings(
  work: Work,
  batch: Extract<Batch, { kind: "settings" | "clearAndSettings" }>,
): Promise<Change> {
  const { indexes, progress } = work;
  const state = indexes.openOrCreate(batch.indexUid, batch.allowIndexCreation);
  const draft = new IndexDraft(state);
  progress.step(1, "retrieving and merging the settings", 0, 2);
  const outcomes = clearedOutcomes(batch.tasks, state.manifest.documentCount);
  for (const [i, task] of batch.tasks.entries()) {
    const problem = await mergeTask(work, task, draft);
    if (problem !== null) outcomes[i] = failed(problem.body());
  }
  // Nothing has changed then, not even the time of the index; one that is new is there all the same.
  const changesNothing = state.manifest.version > 0 && outcomes.every(({ status }) => status === "failed");
  if (changesNothing) return unchanged(outcomes);
  progress.step(1, "apply the settings", 1, 2);
  if (batch.kind === "clearAndSettings") clearDraft(draft);
  else {
    try {
      await rebuild(work, draft);
    } catch (problem) {
      throw batchError(problem, state.uid);
    }
  }
  return { put: [{ uid: batch.indexUid, draft }], remove: [], gone: [], outcomes };
}

/** What is wrong with the update of a task, which then leaves the draft as it was; null for nothing. */
async function mergeTask(work: Work, { content }: TaskRecord, draft: IndexDraft): Promise<ApiError | null> {
  if (content.type !== "settingsUpdate") return null;
  let merged: Settings;
  try {
    merged = applySettingsUpdate(draft.settings, content.settings);
  } catch (problem) {
    if (problem instanceof ApiError) return problem;
    throw problem;
  }
  try {
    draft.settings = await withDimensions(work, draft.settings, merged);
    return null;
  } catch (problem) {
    if (problem instanceof ApiError) return problem.within(`Index \`${draft.state.uid}\`: `);
    throw problem;
  }
}

/** Builds the segments anew that the new settings make stale. */
async function rebuild(work: Work, draft: IndexDraft): Promise<void> {
  const { state, settings } = draft;
  const before = state.manifest.settings;
  const generators = generatorsOf(settings);
  const renewals = new Map(generators.map(({ name }) => [name, renewalOf(before, settings, name)]));
  const stale = whatMustRebuild(before, settings);
  const renews = [...renewals.values()].some((renewal) => renewal !== "nothing");
  if (state.segments.length === 0 || !(stale.text || stale.facets || stale.vectors || renews)) return;
  const outdated = outdatedEmbedders(before, settings);
  if (generators.length + outdated.removed.length + outdated.resized.length === 0) await rebuildSegments(work, draft);
  else {
    const path = (segment: WriterSegment) => work.indexes.segmentPath(state.manifest.id, segment.entry.file);
    const sizes = { lotBytes: limits.lotBytes, documentsMax: Embedding.documentsMax(settings) };
    const lots = planStored(state.segments, path, sizes);
    await buildLots(work, draft, lots, (name) => renewals.get(name) ?? "nothing", outdated);
  }
  for (const segment of state.segments) draft.dropSegment(segment);
}

function outdatedEmbedders(before: Settings, after: Settings): OutdatedEmbedders {
  const generators = new Set(generatorsOf(before).map(({ name }) => name));
  const removed: RemovedEmbedder[] = [];
  const resized: ResizedEmbedder[] = [];
  for (const { name, quantized, dimensions } of embedderRules(before)) {
    const embedder = after.embedders[name];
    if (embedder === undefined) removed.push({ name, quantized, madeVectors: generators.has(name) });
    else if (dimensionsOf(after, name) !== dimensions) resized.push({ name, makesVectors: makesVectors(embedder) });
  }
  return { removed, resized };
}

/** For an index whose vectors all come with its documents: segment by segment, from file to file. */
async function rebuildSegments(work: Work, draft: IndexDraft): Promise<void> {
  const { state } = draft;
  let finished = 0;
  const build = async (segment: WriterSegment, output: string): Promise<SegmentSummary> => {
    const path = work.indexes.segmentPath(state.manifest.id, segment.entry.file);
    const input = { path, deleted: segment.entry.deleted, settings: draft.settings, output };
    const summary = await work.helpers.run("segment.rebuild", input);
    work.progress.step(2, "document", ++finished, state.segments.length);
    return summary;
  };
  await addSegments(work, draft, state.segments, build, ({ entry }) => entry.shard);
}
