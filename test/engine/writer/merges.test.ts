/** Merges of segments that are too large for one: they are compacted into several, and what had no room is tried with less. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { mergeSegmentFiles, type SegmentFile } from "../../../src/engine/helper/segment-files.ts";
import type { Committer } from "../../../src/engine/writer/commit.ts";
import type { IndexDraft } from "../../../src/engine/writer/draft.ts";
import { emptyManifest, IndexState, openSegment, type WriterSegment } from "../../../src/engine/writer/index-state.ts";
import { Merger } from "../../../src/engine/writer/merges.ts";
import { Mutex } from "../../../src/engine/writer/mutex.ts";
import type { SegmentEntry } from "../../../src/storage/index/manifest.ts";
import { mergeBodies } from "../../../src/storage/segment/documents/merge.ts";
import type { DocumentsReader } from "../../../src/storage/segment/documents/reader.ts";
import { MergeMemory, MergeTooLarge } from "../../../src/storage/segment/merge-memory.ts";
import { RowPlan } from "../../../src/storage/segment/row-plan.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { build, freshPath, open, rowsOf, write } from "../../storage/segment/support.ts";

const SEGMENTS = 6;
const ROWS = 40;

/** An index of six segments of like size, whose merges run here. */
class World {
  readonly state: IndexState;
  readonly folder = path.dirname(freshPath());
  /** The numbers of inputs of each merge that was begun. */
  readonly merges: number[] = [];
  readonly problems: unknown[] = [];
  abandoned = 0;
  /** Called before each merge. */
  beforeMerge: () => void = () => {};

  /** `shards`: segment i belongs to shard i modulo this. */
  constructor(shards = 1) {
    const segments = Array.from({ length: SEGMENTS }, (_, i) => {
      const documents = Array.from({ length: ROWS }, (_, row) => ({ id: i * ROWS + row, title: `word${row} of ${i}` }));
      const file = path.basename(write(build(rowsOf(documents, i * ROWS))));
      const sizes = { rows: ROWS, fileBytes: 1, documentBytes: 1, deletedCount: 0 };
      return this.open({ id: i, file, ...sizes, deleted: null, shard: i % shards });
    });
    const manifest = { ...emptyManifest("0", defaultSettings(), 0, shards), nextSegmentId: SEGMENTS };
    this.state = new IndexState("i", manifest, segments);
  }

  get hotBytes(): number {
    return Math.max(...this.state.segments.map(({ reader }) => reader.header.hotBytes));
  }

  merger(hotBytesMax: number): Merger {
    const work = {
      indexes: {
        all: () => [this.state],
        get: () => this.state,
        open: (_: string, entry: SegmentEntry) => this.open(entry),
        abandon: () => this.abandoned++,
        segmentPath: (_: string, name: string) => path.join(this.folder, name),
      },
      helpers: {
        run: async (_: string, { inputs, output }: { inputs: SegmentFile[]; output: string }) => {
          this.merges.push(inputs.length);
          this.beforeMerge();
          return mergeSegmentFiles(inputs, output);
        },
      },
    } as unknown as ConstructorParameters<typeof Merger>[0];
    const hooks = { isBusy: () => false, onFailure: (problem: unknown) => this.problems.push(problem) };
    return new Merger(work, {} as Committer, new Mutex(), hooks, hotBytesMax);
  }

  open(entry: SegmentEntry): WriterSegment {
    return openSegment(entry, open(path.join(this.folder, entry.file)));
  }
}

/** The rows of each segment after a draft, and all ids of documents. */
function after(draft: IndexDraft): { rows: number[]; ids: number[] } {
  draft.finish(0, false);
  draft.adopt();
  const { segments } = draft.state;
  return {
    rows: segments.map(({ entry }) => entry.rows),
    ids: segments.flatMap(({ reader }) => [...reader.docids]).sort((a, b) => a - b),
  };
}

const ALL = Array.from({ length: SEGMENTS * ROWS }, (_, i) => i);

test("an index is compacted into one segment, or into as few as are not too large for a merge", async () => {
  const whole = new World();
  assert.deepEqual(after(await whole.merger(Number.POSITIVE_INFINITY).compact(whole.state)), {
    rows: [SEGMENTS * ROWS],
    ids: ALL,
  });
  const halves = new World();
  const draft = await halves.merger(halves.hotBytes * 3).compact(halves.state);
  assert.deepEqual(halves.merges, [3, 3]);
  assert.deepEqual(after(draft), { rows: [3 * ROWS, 3 * ROWS], ids: ALL });
  const none = new World();
  const unchanged = await none.merger(1).compact(none.state);
  assert.deepEqual(none.merges, []);
  assert.equal(unchanged.segments.length, SEGMENTS);
});

test("segments of a divided index are merged within their shards", async () => {
  const world = new World(2);
  const draft = await world.merger(Number.POSITIVE_INFINITY).compact(world.state);
  assert.deepEqual(after(draft), { rows: [3 * ROWS, 3 * ROWS], ids: ALL });
  assert.deepEqual(
    draft.state.segments.map(({ entry, reader }) => [entry.shard, Math.floor(reader.docids[0]! / ROWS)]),
    [
      [0, 0],
      [1, 1],
    ],
  );
});

test("where a merge has no room it is tried again with fewer segments", async () => {
  const world = new World();
  let failures = 1;
  world.beforeMerge = () => {
    if (failures-- > 0) throw new MergeTooLarge();
  };
  const draft = await world.merger(world.hotBytes * SEGMENTS).compact(world.state);
  assert.deepEqual(world.merges, [6, 3, 3]);
  assert.deepEqual(after(draft), { rows: [3 * ROWS, 3 * ROWS], ids: ALL });
});

test("a compaction that fails for another reason leaves nothing behind", async () => {
  const world = new World();
  world.beforeMerge = () => {
    if (world.merges.length === 2) throw new Error("no space left");
  };
  await assert.rejects(world.merger(world.hotBytes * 3).compact(world.state), /no space left/);
  assert.equal(world.abandoned, 1);
});

test("a merge is refused whose documents no segment could tell apart", () => {
  const reader = { isPacked: true, storedLength: () => 2 ** 31, names: [] } as unknown as DocumentsReader;
  const plan = (rows: number) => new RowPlan(rows, []);
  assert.equal(mergeBodies([reader], plan(1), []).offsets[1], 2 ** 31);
  assert.throws(() => mergeBodies([reader], plan(2), []), MergeTooLarge);
});

test("a merge that its memory cannot hold is refused, and leaves no file", () => {
  const documents = Array.from({ length: 3000 }, (_, id) => ({ id, title: `title number ${id} of some words` }));
  const path = write(build(rowsOf(documents)));
  const output = freshPath();
  const merge = (memory?: MergeMemory) => mergeSegmentFiles([{ path, deleted: null }], output, memory);
  assert.throws(() => merge(new MergeMemory(16)), MergeTooLarge);
  assert.equal(existsSync(output), false);
  assert.equal(merge().rows, documents.length);
});
