/**
 * Merges in the background: one at a time on a helper thread, from files that no longer change. What is deleted while
 * a merge runs is deleted in its result; when its inputs have gone in the meantime, the result is thrown away.
 */

import { rmSync } from "node:fs";
import { placeOf } from "../../base/sorted/binary-search.ts";
import { Bitmap, encodeBitmap } from "../../storage/segment/bitmap.ts";
import type { SegmentSummary } from "../../storage/segment/container.ts";
import { MERGED_HOT_BYTES_MAX, MergeTooLarge } from "../../storage/segment/merge-memory.ts";
import type { Committer } from "./commit.ts";
import { IndexDraft } from "./draft.ts";
import type { IndexState, WriterSegment } from "./index-state.ts";
import { groupsToCompact, nextLargeMerge, nextMerge, type SegmentSize } from "./merge-policy.ts";
import type { Mutex } from "./mutex.ts";
import { nextSegmentName } from "./segment-name.ts";
import type { Work } from "./work.ts";

/** While tasks wait, small segments are not merged until an index has this many, or a divided one so many in each shard. */
const SEGMENTS_BEFORE_URGENT = 24;
const SEGMENTS_OF_SHARD_BEFORE_URGENT = 5;

/** How long a merge waits for a batch that holds its index, before it is thrown away: others must be merged, too. */
export const HELD_MS_MAX = 10_000;

/** A merge that failed (a full disk, say) is tried again after this long. */
const RETRY_MS = 5000;

interface MergerHooks {
  /** Whether tasks wait. */
  isBusy(): boolean;
  onFailure(problem: unknown): void;
}

export class Merger {
  readonly #work: Pick<Work, "indexes" | "helpers">;
  readonly #committer: Committer;
  readonly #mutex: Mutex;
  readonly #hooks: MergerHooks;
  /** Halved when a merge had no room: what it needs besides depends on the words of its segments. */
  #hotBytesMax: number;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(
    work: Pick<Work, "indexes" | "helpers">,
    committer: Committer,
    mutex: Mutex,
    hooks: MergerHooks,
    hotBytesMax = MERGED_HOT_BYTES_MAX,
  ) {
    this.#work = work;
    this.#committer = committer;
    this.#mutex = mutex;
    this.#hooks = hooks;
    this.#hotBytesMax = hotBytesMax;
  }

  /** Starts the next worthwhile merge, if none is running; goes on by itself until there is none. */
  consider(): void {
    if (this.#running !== null || this.#stopped) return;
    const chosen = this.#choose();
    if (chosen === null) return;
    this.#running = this.#merge(chosen.state, chosen.inputs).then(
      () => this.#again(0),
      (problem) => {
        this.#expectLess(problem);
        this.#hooks.onFailure(problem);
        this.#again(RETRY_MS);
      },
    );
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  #again(afterMs: number): void {
    setTimeout(() => {
      this.#running = null;
      this.consider();
    }, afterMs).unref();
  }

  /** All segments of an index into as few as may be, at once. Called by a batch, which holds the mutex. */
  async compact(state: IndexState): Promise<IndexDraft> {
    const draft = new IndexDraft(state);
    const left = new Set(state.segments);
    for (let group = this.#groupOf(left); group.length > 0; group = this.#groupOf(left)) {
      const output = this.#outputOf(state);
      try {
        this.#replace(draft, state, group, group, output, await this.#run(state, group, output.path));
      } catch (problem) {
        if (this.#expectLess(problem)) continue;
        this.#work.indexes.abandon(draft);
        throw problem;
      }
      for (const segment of group) left.delete(segment);
    }
    return draft;
  }

  #groupOf(segments: ReadonlySet<WriterSegment>): WriterSegment[] {
    for (const all of byShard([...segments])) {
      const [first] = groupsToCompact(all.map(sizeOf), this.#hotBytesMax);
      if (first !== undefined) return first.map((i) => all[i]!);
    }
    return [];
  }

  /** Whether that is what the problem asks for. */
  #expectLess(problem: unknown): boolean {
    const isTooLarge = problem instanceof Error && problem.name === MergeTooLarge.name;
    if (isTooLarge) this.#hotBytesMax /= 2;
    return isTooLarge;
  }

  #choose(): { state: IndexState; inputs: WriterSegment[] } | null {
    const busy = this.#hooks.isBusy();
    for (const state of this.#work.indexes.all()) {
      if (state.problem !== null || this.#mutex.held.has(state.uid)) continue;
      const isUrgent = state.segments.length >= urgentCount(state);
      for (const segments of byShard(state.segments)) {
        const sizes = segments.map(sizeOf);
        const positions =
          busy && !isUrgent ? nextLargeMerge(sizes, this.#hotBytesMax) : nextMerge(sizes, !busy, this.#hotBytesMax);
        if (positions !== null) return { state, inputs: positions.map((i) => segments[i]!) };
      }
    }
    return null;
  }

  async #merge(state: IndexState, inputs: WriterSegment[]): Promise<void> {
    const output = this.#outputOf(state);
    const summary = await this.#run(state, inputs, output.path);
    const isDone = await this.#mutex.runOn(
      () => state.uid,
      HELD_MS_MAX,
      async () => {
        const current = inputs.map((input) => state.segments.find(({ entry }) => entry.id === input.entry.id));
        const stillThere = this.#work.indexes.get(state.uid) === state && current.every((input) => input !== undefined);
        if (!stillThere || this.#stopped) {
          rmSync(output.path, { force: true });
          return;
        }
        const draft = new IndexDraft(state);
        this.#replace(draft, state, inputs, current as WriterSegment[], output, summary);
        await this.#committer.commit({ put: [{ uid: state.uid, draft }], remove: [], gone: [] }, () => {}, false);
      },
    );
    if (!isDone) rmSync(output.path, { force: true });
  }

  #outputOf(state: IndexState): { id: number; file: string; path: string } {
    const name = nextSegmentName(state);
    return { ...name, path: this.#work.indexes.segmentPath(state.manifest.id, name.file) };
  }

  async #run(state: IndexState, inputs: readonly WriterSegment[], output: string): Promise<SegmentSummary | null> {
    if (inputs.every(({ entry }) => entry.deletedCount === entry.rows)) return null;
    return this.#work.helpers.run("segment.merge", {
      inputs: inputs.map(({ entry }) => ({
        path: this.#work.indexes.segmentPath(state.manifest.id, entry.file),
        deleted: entry.deleted,
      })),
      output,
    });
  }

  #replace(
    draft: IndexDraft,
    state: IndexState,
    inputs: readonly WriterSegment[],
    current: readonly WriterSegment[],
    output: { id: number; file: string },
    summary: SegmentSummary | null,
  ): void {
    for (const segment of current) draft.dropSegment(segment);
    if (summary === null) return;
    const { rows, fileBytes, documentBytes } = summary;
    const { id, file } = output;
    const { shard } = inputs[0]!.entry;
    const entry = { id, file, rows, fileBytes, documentBytes, deletedCount: 0, deleted: null, shard };
    const merged = this.#work.indexes.open(state.manifest.id, entry);
    draft.addSegment(withoutDeletedSince(merged, inputs, current));
  }
}

function urgentCount({ manifest }: IndexState): number {
  return Math.max(SEGMENTS_BEFORE_URGENT, manifest.shards * SEGMENTS_OF_SHARD_BEFORE_URGENT);
}

/** Segments that may become one: documents stay in their shard. That with the most segments comes first. */
function byShard(segments: readonly WriterSegment[]): (readonly WriterSegment[])[] {
  const groups = new Map<number, WriterSegment[]>();
  for (const segment of segments) {
    const group = groups.get(segment.entry.shard);
    if (group === undefined) groups.set(segment.entry.shard, [segment]);
    else group.push(segment);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function sizeOf({ entry, reader }: WriterSegment): SegmentSize {
  const { rows, deletedCount, fileBytes } = entry;
  return { rows, liveRows: rows - deletedCount, bytes: fileBytes, hotBytes: reader.header.hotBytes };
}

/** The merged segment, with the rows deleted that went from its inputs after the merge had begun. */
function withoutDeletedSince(
  merged: WriterSegment,
  inputs: readonly WriterSegment[],
  current: readonly WriterSegment[],
): WriterSegment {
  const { docids } = merged.reader;
  const deleted = Bitmap.create(merged.entry.rows);
  let count = 0;
  for (const [i, now] of current.entries()) {
    if (now.deleted === null) continue;
    const before = inputs[i]!.deleted;
    const since = before === null ? now.deleted : now.deleted.andNot(before);
    since.forEach((row) => {
      deleted.set(placeOf(docids, now.reader.docids[row]!));
      count++;
    });
  }
  if (count === 0) return merged;
  return { ...merged, deleted, entry: { ...merged.entry, deleted: encodeBitmap(deleted), deletedCount: count } };
}
