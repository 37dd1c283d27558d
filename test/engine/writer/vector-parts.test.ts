/**
 * Cells and graphs in the background: with them a copy takes the place of their segment, with what was deleted meanwhile,
 * or they are dropped.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { jobs } from "../../../src/engine/helper/jobs.ts";
import type { VectorParts } from "../../../src/engine/helper/vector-parts.ts";
import type { IndexDraft } from "../../../src/engine/writer/draft.ts";
import { IndexDraft as Draft } from "../../../src/engine/writer/draft.ts";
import { emptyManifest, IndexState, openSegment, type WriterSegment } from "../../../src/engine/writer/index-state.ts";
import { Mutex } from "../../../src/engine/writer/mutex.ts";
import { type GraphBuilder, type PartWorld, VectorPartBuilder } from "../../../src/engine/writer/vector-parts.ts";
import type { SegmentEntry } from "../../../src/storage/index/manifest.ts";
import { verifySegment } from "../../../src/storage/segment/container.ts";
import { bitCodesIn } from "../../../src/storage/segment/vectors/bit-codes.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { until } from "../../lib/patience.ts";
import { open } from "../../storage/segment/support.ts";
import { compiledHnswlib, NO_HNSWLIB } from "../vector/hnswlib.ts";
import { Clusters, segmentOf } from "../vector/parts-support.ts";

const DOCUMENTS = 300;

class World {
  readonly state: IndexState;
  readonly folder: string;
  readonly problems: unknown[] = [];
  readonly ran: string[] = [];
  commits = 0;
  isBusy = false;
  /** Called before each job. */
  beforeJob: (kind: string) => void = () => {};
  readonly builder: VectorPartBuilder;

  constructor(wanted: readonly (keyof VectorParts)[], graphBuilder: GraphBuilder = "own") {
    const clusters = new Clusters(3);
    const file = segmentOf(Array.from({ length: DOCUMENTS }, () => [clusters.vector()]));
    this.folder = path.dirname(file);
    const size = { rows: DOCUMENTS, fileBytes: 1, documentBytes: 5, deletedCount: 0, deleted: null, shard: 0 };
    const segment = this.open({ id: 0, file: path.basename(file), ...size });
    this.state = new IndexState("i", { ...emptyManifest("0", defaultSettings(), 0), nextSegmentId: 1 }, [segment]);
    const work = {
      indexes: {
        all: () => [this.state],
        get: (uid: string) => (uid === "i" ? this.state : null),
        open: (_: string, entry: SegmentEntry) => this.open(entry),
        segmentPath: (_: string, name: string) => path.join(this.folder, name),
      },
      helpers: {
        run: async (kind: keyof typeof jobs, input: never) => {
          this.beforeJob(kind);
          this.ran.push(kind);
          return (jobs[kind] as (input: never) => unknown)(input);
        },
      },
    } as PartWorld;
    const committer = {
      commit: async ({ put }: { put: { draft: IndexDraft }[] }) => {
        for (const { draft } of put) {
          draft.finish(0, false);
          draft.adopt();
        }
        this.commits++;
      },
    };
    const hooks = { isBusy: () => this.isBusy, onFailure: (problem: unknown) => this.problems.push(problem) };
    const isWorth = { cells: () => wanted.includes("cells"), graphs: () => wanted.includes("graphs") };
    this.builder = new VectorPartBuilder(work, committer, new Mutex(), hooks, { isWorth, graphBuilder });
  }

  open(entry: SegmentEntry): WriterSegment {
    return openSegment(entry, open(path.join(this.folder, entry.file)));
  }

  /** Resolves when something was begun and has come to its end. */
  async built(): Promise<void> {
    let run: Promise<void> | null = null;
    await until(
      () => {
        run = this.builder.consider();
        return run !== null;
      },
      () => "something is built",
    );
    await run;
  }

  deleteRow(row: number): void {
    const draft = new Draft(this.state);
    draft.deleteRow(this.state.segments[0]!, row);
    draft.finish(0);
    draft.adopt();
  }
}

/** How many of the vectors of the only segment are in its cells, and in its graph. */
function inParts({ state }: World): { cells: number; graph: number } {
  const { reader } = state.segments[0]!;
  const sizes = bitCodesIn(reader, "e")?.cells?.sizes ?? new Uint32Array(0);
  return { cells: sizes.reduce((sum, size) => sum + size, 0), graph: reader.graphs?.image("e")?.[0] ?? 0 };
}

for (const kind of ["cells", "graphs"] as const) {
  test(`a segment gets its ${kind}, and keeps what was deleted meanwhile`, async () => {
    const world = new World([kind]);
    let deleted = false;
    world.beforeJob = (job) => {
      if (job !== "segment.addVectorParts" || deleted) return;
      deleted = true;
      world.deleteRow(17);
    };
    await world.built();
    assert.equal(world.commits, 1);
    const [segment] = world.state.segments;
    assert.equal(world.state.segments.length, 1);
    assert.notEqual(segment!.entry.id, 0);
    assert.equal(segment!.entry.deletedCount, 1);
    assert.equal(segment!.entry.documentBytes, 5);
    assert.ok(segment!.deleted!.has(17));
    const expected = kind === "cells" ? { cells: DOCUMENTS, graph: 0 } : { cells: 0, graph: DOCUMENTS };
    assert.deepEqual(inParts(world), expected);
    assert.equal(verifySegment(path.join(world.folder, segment!.entry.file)), null);
    assert.equal(world.state.manifest.documentCount, DOCUMENTS - 1);
    assert.equal(world.builder.consider(), null);
  });
}

test("another builder can be chosen", {
  skip: compiledHnswlib() === null && NO_HNSWLIB,
}, async () => {
  const world = new World(["graphs"], "hnswlib");
  await world.built();
  assert.deepEqual(inParts(world), { cells: 0, graph: DOCUMENTS });
  assert.deepEqual(world.ran, ["graph.byHnswlib", "segment.addVectorParts"]);
  assert.deepEqual(
    readdirSync(world.folder).filter((name) => name.endsWith(".hnswlib")),
    [],
  );
});

test("a segment that lacks both gets cells first, and keeps them when it gets its graph", async () => {
  const world = new World(["cells", "graphs"]);
  await world.built();
  assert.deepEqual(inParts(world), { cells: DOCUMENTS, graph: 0 });
  await world.built();
  assert.deepEqual(inParts(world), { cells: DOCUMENTS, graph: DOCUMENTS });
});

test("nothing is built while there is other work, nor kept when the segment has gone", async (t) => {
  const world = new World(["cells"]);
  const kept = readdirSync(world.folder);
  assert.equal(world.builder.consider(), null, "the segment may soon be merged");
  const later = performance.now() + 60_000;
  t.mock.method(performance, "now", () => later);
  world.isBusy = true;
  assert.equal(world.builder.consider(), null);
  world.isBusy = false;
  world.beforeJob = (kind) => {
    if (kind === "segment.addVectorParts") world.state.segments = [];
  };
  await world.builder.consider();
  assert.ok(world.ran.includes("segment.addVectorParts"));
  assert.equal(world.commits, 0);
  assert.deepEqual(
    readdirSync(world.folder).filter((name) => name.startsWith("1-") && !kept.includes(name)),
    [],
  );
  assert.deepEqual(world.problems, []);
});

test("a failure is told once and not tried again", async () => {
  const world = new World(["cells"]);
  world.beforeJob = () => {
    throw new Error("no room");
  };
  await world.built();
  assert.equal(world.builder.consider(), null);
  assert.equal(world.problems.length, 1);
  assert.equal(world.commits, 0);
});
