/** Cells and graphs of near vectors: what is found by them against an exact search, and that they change nothing else. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { graphByHnswlib } from "../../../src/engine/helper/vector-parts.ts";
import { Deadline, TimeIsUp } from "../../../src/engine/query/deadline.ts";
import type { Way } from "../../../src/engine/vector/cost-model.ts";
import { SegmentSearch, type SegmentVectors } from "../../../src/engine/vector/segment-search.ts";
import { VectorTarget } from "../../../src/engine/vector/target.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { verifySegment } from "../../../src/storage/segment/container.ts";
import { PART } from "../../../src/storage/segment/parts.ts";
import { graphFromHnswlib } from "../../../src/storage/segment/vectors/hnswlib-image.ts";
import { freshPath } from "../../storage/segment/support.ts";
import { compiledHnswlib, NO_HNSWLIB } from "./hnswlib.ts";
import { HNSWLIB_LINKS_BELOW_AT, savedByHnswlib } from "./hnswlib-file.ts";
import {
  Clusters,
  cellsOf,
  DIMENSIONS,
  exactNeighbours,
  graphOf,
  openVectors,
  segmentOf,
  withCells,
  withGraph,
} from "./parts-support.ts";

const DOCUMENTS = 6000;
const QUERIES = 40;
const WANTED = 10;
const RECALL_MIN = 0.97;
const NO_HURRY = new Deadline(Number.POSITIVE_INFINITY);

const clusters = new Clusters(7);
const documents = Array.from({ length: DOCUMENTS }, () => [clusters.vector()]);
const queries = Array.from({ length: QUERIES }, () => clusters.vector());
const plainFile = segmentOf(documents);
const plain = openVectors(plainFile);
/** Each takes seconds to make. */
const ownGraph = once(() => graphOf(plainFile));

interface Kind {
  name: string;
  add(file: string): string;
  /** What was made, before it is in a file. */
  made(file: string): Uint32Array;
  way: Way;
  part: number;
}

const KINDS: Kind[] = [
  { name: "cells", add: withCells, made: cellsOf, way: "sketches", part: PART.bitCodes },
  { name: "a graph", add: (file) => withGraph(file), made: graphOf, way: "walk", part: PART.graphs },
];

const Hnswlib = compiledHnswlib();
if (Hnswlib !== null) {
  const made = (file: string): Uint32Array => graphByHnswlib(Hnswlib, file, "e");
  const add = (file: string): string => withGraph(file, made(file));
  KINDS.push({ name: "a graph that hnswlib built", add, made, way: "walk", part: PART.graphs });
}

/** What it gives, found once, when it is first asked for. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** One in so many. */
const SELECTIONS = { all: 1, half: 2, "a tenth": 10, "a hundredth": 100, few: 1000 };
const selections = Object.entries(SELECTIONS).map(([some, every]) => {
  const rows = Bitmap.of(
    DOCUMENTS,
    Array.from({ length: Math.ceil(DOCUMENTS / every) }, (_, i) => i * every),
  );
  const nearest = once(() => queries.map((query) => new Set(exactNeighbours(documents, query, rows, WANTED))));
  return { some, rows, nearest };
});

/** Rows found: by the way given, if any. */
function find(from: SegmentVectors, target: number[], rows: Bitmap, wanted: number, way?: Way): number[] {
  const search = new SegmentSearch(from, new VectorTarget(target), way && (() => way));
  return Array.from(search.nearest(rows, wanted, NO_HURRY).slots, (slot) => from.vectors.rowList[slot]!);
}

function recall(segment: SegmentVectors, rows: Bitmap, nearest: readonly Set<number>[], way?: Way): number {
  let hits = 0;
  let all = 0;
  for (const [i, exact] of nearest.entries()) {
    all += exact.size;
    for (const row of find(segment, queries[i]!, rows, WANTED, way)) if (exact.has(row)) hits++;
  }
  return hits / all;
}

for (const { name, add, made, way, part } of KINDS) {
  describe(`with ${name}`, () => {
    let file: string;
    let segment: ReturnType<typeof openVectors>;

    before(() => {
      file = add(plainFile);
      segment = openVectors(file);
    });

    for (const { some, rows, nearest } of selections) {
      test(`the nearest of ${some} are found`, () => {
        assert.ok(recall(segment, rows, nearest()) >= RECALL_MIN);
        const own = recall(segment, rows, nearest(), way);
        assert.ok(own >= RECALL_MIN, `recall: ${own}`);
      });
    }

    test("nothing is left out when all are wanted", () => {
      const found = find(segment, queries[0]!, Bitmap.full(DOCUMENTS), DOCUMENTS, way);
      assert.equal(new Set(found).size, DOCUMENTS);
    });

    test("the same vectors give the same, and it can be made again", () => {
      assert.deepEqual(made(plainFile), made(plainFile));
      assert.deepEqual(readFileSync(add(file)), readFileSync(file));
    });

    test("the rest of the segment is as it was", () => {
      assert.equal(verifySegment(file), null);
      const { reader } = segment;
      const others = (from: typeof reader) =>
        from.header.parts.filter(({ kind }) => kind !== part).map(({ kind, crc, length }) => ({ kind, crc, length }));
      assert.deepEqual(others(reader), others(plain.reader));
      assert.equal(reader.header.parts.length, plain.reader.header.parts.length + 1);
      assert.deepEqual(reader.readDocument(DOCUMENTS - 1), plain.reader.readDocument(DOCUMENTS - 1));
    });

    test("documents with several vectors, with none and with one that has no direction are found", () => {
      const several = Array.from({ length: 1500 }, (_, i) => {
        if (i % 5 === 1) return [];
        if (i === 700) return [Array.from({ length: DIMENSIONS }, () => 0)];
        return Array.from({ length: 1 + (i % 3) }, () => clusters.vector());
      });
      const mixed = openVectors(add(segmentOf(several)));
      const withVectors = several.flatMap((own, row) => (own.length > 0 ? [row] : []));
      const rows = Bitmap.of(
        several.length,
        withVectors.filter((row) => row % 4 !== 3 || row === 700),
      );
      let hits = 0;
      for (const query of queries) {
        const exact = exactNeighbours(several, query, rows, WANTED);
        const found = find(mixed, query, rows, WANTED, way);
        assert.equal(found[0], 700);
        assert.equal(new Set(found).size, WANTED);
        assert.ok(found.every((row) => rows.has(row)));
        hits += found.filter((row) => exact.includes(row)).length;
      }
      assert.ok(hits / (QUERIES * WANTED) >= RECALL_MIN);
    });

    test("distances are those of the exact search", () => {
      const rows = Bitmap.full(DOCUMENTS);
      const target = new VectorTarget(queries[1]!);
      const near = new SegmentSearch(segment, target, () => way).nearest(rows, WANTED, NO_HURRY);
      const scanned = new SegmentSearch(plain, target).nearest(rows, DOCUMENTS, NO_HURRY);
      const distances = new Map(Array.from(scanned.slots, (slot, i) => [slot, scanned.distances[i]]));
      for (const [i, slot] of near.slots.entries()) assert.equal(near.distances[i], distances.get(slot));
    });

    test("no way goes on when time is up", () => {
      const rows = Bitmap.full(DOCUMENTS);
      const target = new VectorTarget(queries[2]!);
      for (const from of [segment, plain]) {
        let looks = 0;
        const late = new Deadline(0, () => looks++);
        assert.throws(() => new SegmentSearch(from, target, () => way).nearest(rows, 200, late), TimeIsUp);
        assert.equal(from.reader.home.workspace.mark, from.reader.home.workspace.start);
      }
    });
  });
}

test("hnswlib finds its way in a graph of ours", { skip: Hnswlib === null && NO_HNSWLIB }, () => {
  const index = new Hnswlib!("cosine", DIMENSIONS);
  const file = freshPath();
  writeFileSync(file, savedByHnswlib(ownGraph(), plain.vectors));
  index.readIndexSync(file);
  index.setEf(100);
  let hits = 0;
  for (const query of queries) {
    const exact = exactNeighbours(documents, query, Bitmap.full(DOCUMENTS), WANTED);
    hits += index.searchKnn(query, WANTED).neighbors.filter((row) => exact.includes(row)).length;
  }
  assert.ok(hits / (QUERIES * WANTED) >= RECALL_MIN);
});

test("a graph with more links than ours have room for is refused, and so is one that is cut off", () => {
  const { scales } = plain.vectors;
  const saved = savedByHnswlib(ownGraph(), plain.vectors);
  assert.deepEqual(graphFromHnswlib(saved, scales), ownGraph(), "there and back");
  assert.throws(() => graphFromHnswlib(saved.subarray(0, saved.length - 4), scales));
  saved.writeBigUInt64LE(64n, HNSWLIB_LINKS_BELOW_AT);
  assert.throws(() => graphFromHnswlib(saved, scales), /more links/);
});

test("without cells, graphs and sketches the answer is exact", () => {
  const rows = Bitmap.full(DOCUMENTS);
  for (const query of queries.slice(0, 10)) {
    assert.deepEqual(find(plain, query, rows, WANTED), exactNeighbours(documents, query, rows, WANTED));
  }
});

test("cells and a graph stand side by side, whichever came first", () => {
  const both = withGraph(withCells(plainFile));
  assert.deepEqual(readFileSync(withCells(withGraph(plainFile, ownGraph()))), readFileSync(both));
  const { graph, sketches } = openVectors(both);
  assert.deepEqual(graph, ownGraph());
  assert.notEqual(sketches!.cells, null);
});

test("all vectors are in the cells once, and near ones in the same", () => {
  const { sketches, vectors } = openVectors(withCells(plainFile));
  const { cells } = sketches!;
  const slots = Array.from(cells!.sizes).flatMap((size, cell) => {
    const first = cells!.firstBlocks[cell]! * 32;
    return Array.from(cells!.slots.subarray(first, first + size));
  });
  assert.deepEqual(
    slots.sort((a, b) => a - b),
    Array.from({ length: vectors.count }, (_, slot) => slot),
  );
  const cellOf = cellsOf(plainFile);
  let together = 0;
  for (let row = 0; row < 100; row++) {
    const [, nearest] = exactNeighbours(documents, documents[row]![0]!, Bitmap.full(DOCUMENTS), 2);
    if (cellOf[row] === cellOf[nearest!]) together++;
  }
  assert.ok(together > 40, `${together} of 100`);
});
