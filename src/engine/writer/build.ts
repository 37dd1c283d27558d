/** Turns planned lots into loaded segments of a draft: on this thread when little, on helper threads when much. */
import { rmSync } from "node:fs";
import { apiError } from "../../base/errors/errors.ts";
import { limits } from "../../base/limits.ts";
import type { SegmentEntry } from "../../storage/index/manifest.ts";
import type { SegmentSummary } from "../../storage/segment/container.ts";
import { buildLot, type LotInput } from "../build/lot.ts";
import { NONE_OUTDATED, type OutdatedEmbedders } from "../build/stored-vectors.ts";
import type { IndexDraft } from "./draft.ts";
import { Embedding, type EmbeddingTask } from "./embedding/embedding.ts";
import type { PlannedLot } from "./plan.ts";
import { nextSegmentName } from "./segment-name.ts";
import type { Work } from "./work.ts";

/**
 * Every lot becomes a segment of the draft, or none does. `renewalOf`: what each embedder does with documents that it
 * has seen before.
 */
export async function buildLots(
  work: Work,
  draft: IndexDraft,
  lots: readonly PlannedLot[],
  renewalOf: EmbeddingTask["renewalOf"],
  outdated: OutdatedEmbedders = NONE_OUTDATED,
): Promise<void> {
  const { settings, fieldOrder, state } = draft;
  const isSmall = lots.reduce((sum, { bytes }) => sum + bytes, 0) <= limits.inlineBuildBytes;
  const embedding =
    Object.keys(settings.embedders).length === 0
      ? null
      : new Embedding(work, {
          settings,
          fieldOrder,
          segments: state.segments,
          renewalOf,
          resized: outdated.resized.map(({ name }) => name),
        });
  let finished = 0;
  work.progress.step(2, "document", 0, lots.length);
  const build = async (lot: PlannedLot, output: string): Promise<SegmentSummary> => {
    const plan = lot.open(embedding === null && outdated.removed.length === 0);
    const { bytes, storedSegments, storedRows, ...documents } = plan;
    const made = embedding === null ? [] : await embedding.make(plan, isSmall);
    const input: LotInput = { ...documents, output, settings, fieldOrder, made, outdated };
    const summary = isSmall ? buildLot(input) : await buildElsewhere(work, input);
    work.progress.step(2, "document", ++finished, lots.length);
    return summary;
  };
  try {
    await addSegments(work, draft, lots, build, ({ shard }) => shard, embedding?.lotsAtOnce);
  } finally {
    embedding?.dispose();
  }
}

/** The lists of the input move to the helper: they are of no use afterwards. */
function buildElsewhere({ helpers }: Work, input: LotInput): Promise<SegmentSummary> {
  const { docids, overStored, replaced, versionBegins, versionEnds, versionSources, versionStarts } = input;
  const lists = [docids, overStored, replaced, versionBegins, versionEnds, versionSources, versionStarts];
  const floats = input.made.map((made) => made.floats);
  const moved = [...lists, ...floats].map(({ buffer }) => buffer as ArrayBuffer);
  return helpers.run("segment.build", input, moved);
}

/**
 * Runs `make` for every item, `atOnce` of them at the same time; each writes one segment file, which joins the draft. `shardOf`:
 * which shard of the index the documents of an item belong to.
 */
export async function addSegments<T>(
  work: Work,
  draft: IndexDraft,
  items: readonly T[],
  make: (item: T, output: string) => Promise<SegmentSummary>,
  shardOf: (item: T) => number,
  atOnce = work.builders,
): Promise<void> {
  const { builds, indexes } = work;
  builds.total += items.length;
  builds.waited += Math.max(0, items.length - Math.min(atOnce, work.builders));
  const outputs = items.map(() => {
    const name = nextSegmentName(draft.state);
    return { ...name, path: indexes.segmentPath(draft.state.manifest.id, name.file) };
  });
  indexes.ensureFolder(draft.state.manifest.id);
  const made = await settled(items.length, atOnce, (i) => make(items[i]!, outputs[i]!.path));
  try {
    work.checkpoint();
    const problem = made.find((result) => result.status === "rejected");
    if (problem !== undefined) throw problem.reason;
    for (const [i, result] of made.entries()) {
      if (result.status !== "fulfilled" || result.value.rows === 0) continue;
      const { id, file } = outputs[i]!;
      const { rows, fileBytes, documentBytes } = result.value;
      const sizes = { rows, fileBytes, documentBytes, deletedCount: 0 };
      const entry: SegmentEntry = { id, file, ...sizes, deleted: null, shard: shardOf(items[i]!) };
      draft.addSegment(indexes.open(draft.state.manifest.id, entry));
    }
    checkFieldCount(draft);
  } catch (problem) {
    indexes.abandon(draft);
    for (const { path } of outputs) rmSync(path, { force: true });
    throw problem;
  }
}

/** A segment numbers its fields in 16 bits, and any segments of an index may become one. */
function checkFieldCount({ added, state }: IndexDraft): void {
  const lists = [...state.segments, ...added].map(({ reader }) => reader.fields);
  if (lists.reduce((sum, { length }) => sum + length, 0) <= limits.fieldsPerIndex) return;
  if (new Set(lists.flat()).size > limits.fieldsPerIndex) {
    throw apiError("max_fields_limit_exceeded", "The documents of an index cannot contain more than 65,535 fields.");
  }
}

/** Once one has failed no other is begun: it fails for the same reason. */
async function settled<T>(
  count: number,
  atOnce: number,
  run: (i: number) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> {
  const results: PromiseSettledResult<T>[] = [];
  let next = 0;
  let failed: PromiseRejectedResult | null = null;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const result = failed ?? (await settle(run(i)));
      results[i] = result;
      if (result.status === "rejected") failed ??= result;
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, lane));
  return results;
}

async function settle<T>(running: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([running]);
  return result!;
}
