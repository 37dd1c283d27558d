/** Turns planned shards into loaded segments of a draft: on this thread when little, on helper threads when much. */
import { unlinkSync } from "node:fs";
import type { SegmentEntry } from "../index/manifest.ts";
import { limits } from "../limits.ts";
import type { SegmentSummary } from "../segment/container.ts";
import type { IndexDraft } from "./draft.ts";
import type { ShardPlan } from "./plan.ts";
import { buildShard, type ShardInput } from "./shard.ts";
import type { Work } from "./work.ts";

/** Every shard becomes a segment of the draft, or none does. */
export async function buildShards(work: Work, draft: IndexDraft, plans: readonly ShardPlan[]): Promise<void> {
  const total = plans.reduce((sum, plan) => sum + plan.bytes, 0);
  let finished = 0;
  await addSegments(work, draft, plans, async ({ bytes: _, ...plan }, output) => {
    const input: ShardInput = { ...plan, output, settings: draft.settings, fieldOrder: draft.fieldOrder };
    const summary =
      total <= limits.inlineBuildBytes ? buildShard(input) : await work.helpers.run("segment.build", input);
    work.progress.step(2, "document", ++finished, plans.length);
    return summary;
  });
}

/** Runs `make` for every item at the same time; each writes one segment file, which joins the draft. */
export async function addSegments<T>(
  work: Work,
  draft: IndexDraft,
  items: readonly T[],
  make: (item: T, output: string) => Promise<SegmentSummary>,
): Promise<void> {
  const { indexes } = work;
  const outputs = items.map(() => {
    const id = draft.takeSegmentId();
    const file = `${id}.seg`;
    return { id, file, path: indexes.segmentPath(draft.state.manifest.id, file) };
  });
  indexes.ensureFolder(draft.state.manifest.id);
  const made = await Promise.allSettled(items.map((item, i) => make(item, outputs[i]!.path)));
  try {
    work.checkpoint();
    const problem = made.find((result) => result.status === "rejected");
    if (problem !== undefined) throw problem.reason;
    for (const [i, result] of made.entries()) {
      if (result.status !== "fulfilled" || result.value.rows === 0) continue;
      const { id, file } = outputs[i]!;
      const { rows, fileBytes, documentBytes } = result.value;
      const entry: SegmentEntry = { id, file, rows, fileBytes, documentBytes, deletedCount: 0, deleted: null };
      draft.addSegment(indexes.open(draft.state.manifest.id, entry));
    }
  } catch (problem) {
    indexes.abandon(draft);
    for (const { path } of outputs) unlinkIfThere(path);
    throw problem;
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== "ENOENT") throw problem;
  }
}
