/** Our vector search without the server around it: one segment with cells, or with a graph instead, as readers see it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { idsOf } from "../../src/base/document/id-list.ts";
import {
  addVectorParts,
  prepareCellsOf,
  prepareGraphOf,
  type VectorParts,
} from "../../src/engine/helper/vector-parts.ts";
import { Deadline } from "../../src/engine/query/deadline.ts";
import { vectorsIn } from "../../src/engine/semantic/search.ts";
import { quickestWay, type SearchSize } from "../../src/engine/vector/cost-model.ts";
import { SegmentSearch, type SegmentVectors } from "../../src/engine/vector/segment-search.ts";
import { VectorTarget } from "../../src/engine/vector/target.ts";
import { Bitmap } from "../../src/storage/segment/bitmap.ts";
import { buildSegment } from "../../src/storage/segment/build.ts";
import { readHotParts, writeSegmentFile } from "../../src/storage/segment/container.ts";
import { SegmentReader } from "../../src/storage/segment/reader.ts";
import { extractionRules } from "../../src/storage/segment/rules.ts";
import { finishedGraph, growGraph } from "../../src/storage/segment/vectors/graph-builder.ts";
import { assignCells, moveCentres, roundsOf } from "../../src/storage/segment/vectors/ivf.ts";
import { applySettingsUpdate, defaultSettings } from "../../src/storage/settings/update.ts";
import type { Contender, VectorSet } from "./contender.ts";

const NAME = "v";
const STRETCH = 1000;
const NO_HURRY = new Deadline(Number.POSITIVE_INFINITY);

function withCells(file: string): VectorParts {
  const work = prepareCellsOf(file, NAME);
  for (const { step, stretches, movesCentres } of roundsOf(work)) {
    for (const stretch of stretches) assignCells(work, stretch, 0);
    if (movesCentres) moveCentres(work, step);
  }
  return { cells: [{ embedder: NAME, work }], graphs: [] };
}

function withGraph(file: string): VectorParts {
  const work = prepareGraphOf(file, NAME);
  while (growGraph(work, STRETCH) > 0);
  return { cells: [], graphs: [{ embedder: NAME, image: finishedGraph(work) }] };
}

export class Sabre implements Contender {
  readonly name = "sabre";
  /** It decides for itself. */
  readonly efforts = [0];
  readonly #kind: keyof VectorParts;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "perf-vectors-"));
  #segment: SegmentVectors | null = null;
  readonly #rows = new Map<number, Bitmap>();

  constructor(kind: keyof VectorParts) {
    this.#kind = kind;
  }

  /** The segment itself, which exists before its cells. Not timed. */
  prepare({ count, dimensions, floats }: VectorSet): void {
    const embedders = { [NAME]: { source: "userProvided", dimensions } };
    const rules = extractionRules(applySettingsUpdate(defaultSettings(), { embedders }));
    const bodies = Array.from({ length: count }, (_, id) => {
      const vector = Array.from(floats.subarray(id * dimensions, (id + 1) * dimensions));
      return Buffer.from(JSON.stringify({ id, _vectors: { [NAME]: vector } }));
    });
    const offsets = new Float64Array(count + 1);
    for (const [i, body] of bodies.entries()) offsets[i + 1] = offsets[i]! + body.length;
    const built = buildSegment({
      docids: Uint32Array.from({ length: count }, (_, i) => i),
      externalIds: idsOf(Array.from({ length: count }, (_, i) => `${i}`)),
      documents: new Uint8Array(Buffer.concat(bodies)),
      offsets,
      rules,
    });
    writeSegmentFile(path.join(this.#folder, "plain.seg"), built);
  }

  build({ count }: VectorSet): void {
    const [plain, whole] = ["plain.seg", "whole.seg"].map((file) => path.join(this.#folder, file)) as [string, string];
    addVectorParts(plain, whole, this.#kind === "cells" ? withCells(plain) : withGraph(plain), 0);
    const reader = new SegmentReader(readHotParts(whole), whole);
    this.#segment = vectorsIn(reader, NAME)!;
    this.#rows.set(1, Bitmap.full(count));
  }

  setEffort(): void {}

  search(query: Float32Array, wanted: number, every: number): Uint32Array {
    const segment = this.#segment!;
    let rows = this.#rows.get(every);
    if (rows === undefined) {
      const count = segment.reader.rows;
      rows = Bitmap.of(
        count,
        Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every),
      );
      this.#rows.set(every, rows);
    }
    // With a graph, sketches are left aside.
    const wayTo = (task: SearchSize) => quickestWay(this.#kind === "cells" ? task : { ...task, places: null });
    return new SegmentSearch(segment, new VectorTarget(query), wayTo).nearest(rows, wanted, NO_HURRY).slots;
  }

  /** Bytes in memory for each vector, against those of its floats. */
  get memoryRatio(): number {
    const { graph, sketches, vectors } = this.#segment!;
    const { codes, floats, norms, rowList, scales, starts } = vectors;
    const lists = [
      codes,
      floats,
      norms,
      rowList,
      scales,
      starts,
      ...(graph === null ? [] : [graph]),
      ...(sketches === null ? [] : [sketches.blocks]),
      ...(sketches?.cells ? [sketches.cells.slots, sketches.cells.centres] : []),
    ];
    return lists.reduce((sum, list) => sum + list.byteLength, 0) / floats.byteLength;
  }

  close(): void {
    this.#segment?.reader.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
