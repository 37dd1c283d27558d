/** Cells of near vectors: what is found in the nearest against an exact search, and that cells change nothing else. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { Clock, TimeIsUp } from "../../src/rank/clock.ts";
import { Bitmap } from "../../src/segment/bitmap.ts";
import { readHotParts, readSegmentHeader, verifySegment } from "../../src/segment/container.ts";
import { PART_GRAPHS, PART_SKETCHES, type Part } from "../../src/segment/parts.ts";
import { imagesPart } from "../../src/segment/vectors/images.ts";
import type { Way } from "../../src/vector/effort.ts";
import { SegmentSearch, type SegmentVectors } from "../../src/vector/segment-search.ts";
import { VectorTarget } from "../../src/vector/target.ts";
import { write } from "../segment/support.ts";
import { Clusters, cellsOf, DIMENSIONS, exactNeighbours, openVectors, segmentOf, withCells } from "./cells-support.ts";

const DOCUMENTS = 6000;
const QUERIES = 40;
const WANTED = 10;
const RECALL_MIN = 0.97;
const NO_HURRY = new Clock(Number.POSITIVE_INFINITY);
const always = (): Way => "sketches";

const clusters = new Clusters(7);
const documents = Array.from({ length: DOCUMENTS }, () => [clusters.vector()]);
const queries = Array.from({ length: QUERIES }, () => clusters.vector());
let file = "";
let segment: SegmentVectors;

before(() => {
  file = segmentOf(documents);
  segment = openVectors(withCells(file));
});

/** Rows found: in cells where `wayTo` says so. */
function find(from: SegmentVectors, target: number[], rows: Bitmap, wanted: number, wayTo?: () => Way): number[] {
  const search = new SegmentSearch(from, new VectorTarget(target), wayTo);
  return Array.from(search.nearest(rows, wanted, NO_HURRY).slots, (slot) => from.vectors.rowList[slot]!);
}

function recall(rows: Bitmap, wayTo?: () => Way): number {
  let hits = 0;
  let all = 0;
  for (const query of queries) {
    const exact = new Set(exactNeighbours(documents, query, rows, WANTED));
    all += exact.size;
    for (const row of find(segment, query, rows, WANTED, wayTo)) if (exact.has(row)) hits++;
  }
  return hits / all;
}

for (const [name, every] of Object.entries({ "all rows": 1, half: 2, "a tenth": 10, "a hundredth": 100, few: 1000 })) {
  test(`the nearest of ${name} are found`, () => {
    const rows = Bitmap.of(
      DOCUMENTS,
      Array.from({ length: Math.ceil(DOCUMENTS / every) }, (_, i) => i * every),
    );
    assert.ok(recall(rows) >= RECALL_MIN);
    const inCells = recall(rows, always);
    assert.ok(inCells >= RECALL_MIN, `recall in cells: ${inCells}`);
  });
}

test("without cells and sketches the answer is exact", () => {
  const plain = openVectors(file);
  const rows = Bitmap.full(DOCUMENTS);
  for (const query of queries.slice(0, 10)) {
    assert.deepEqual(find(plain, query, rows, WANTED), exactNeighbours(documents, query, rows, WANTED));
  }
});

test("cells that cannot have enough give way to a scan: nothing is left out", () => {
  const rows = Bitmap.full(DOCUMENTS);
  const found = find(segment, queries[0]!, rows, DOCUMENTS, always);
  assert.equal(new Set(found).size, DOCUMENTS);
});

test("the same vectors give the same cells, and they can be found again", () => {
  assert.deepEqual(cellsOf(file), cellsOf(file));
  const again = withCells(withCells(file));
  assert.deepEqual(readFileSync(again), readFileSync(withCells(file)));
});

test("cells leave the rest of their segment as it was", () => {
  const copy = withCells(file);
  assert.equal(verifySegment(copy), null);
  const [before, after] = [openVectors(file).reader, openVectors(copy).reader];
  const parts = (reader: typeof before) =>
    reader.header.parts
      .filter(({ kind }) => kind !== PART_SKETCHES)
      .map(({ kind, crc, length }) => ({ kind, crc, length }));
  assert.deepEqual(parts(after), parts(before));
  assert.equal(after.header.parts.length, before.header.parts.length + 1);
  assert.deepEqual(after.readDocument(DOCUMENTS - 1), before.readDocument(DOCUMENTS - 1));
});

test("a graph that an earlier version built is left aside, and dropped when cells are found", () => {
  const bytes = readFileSync(file);
  const { parts, rows } = readSegmentHeader(readHotParts(file));
  const copies = parts.map(({ kind, offset, length }): Part => {
    return { kind, chunks: [bytes.subarray(offset, offset + length)] };
  });
  const graph = imagesPart(PART_GRAPHS, [{ embedder: "e", image: Uint32Array.of(DOCUMENTS, 0, 0, 0) }]);
  const old = write({ rows, documentBytes: 0, parts: [...copies, graph] });
  const all = Bitmap.full(DOCUMENTS);
  assert.deepEqual(
    find(openVectors(old), queries[0]!, all, WANTED),
    exactNeighbours(documents, queries[0]!, all, WANTED),
  );
  assert.deepEqual(readFileSync(withCells(old)), readFileSync(withCells(file)));
});

test("all vectors are in the cells once, and near ones in the same", () => {
  const { cells, vectors } = { ...segment.sketches!, vectors: segment.vectors };
  const slots = Array.from(cells!.sizes).flatMap((size, cell) => {
    const first = cells!.firstBlocks[cell]! * 32;
    return Array.from(cells!.slots.subarray(first, first + size));
  });
  assert.deepEqual(
    slots.sort((a, b) => a - b),
    Array.from({ length: vectors.count }, (_, slot) => slot),
  );
  const cellOf = cellsOf(file);
  let together = 0;
  for (let row = 0; row < 100; row++) {
    const [, nearest] = exactNeighbours(documents, documents[row]![0]!, Bitmap.full(DOCUMENTS), 2);
    if (cellOf[row] === cellOf[nearest!]) together++;
  }
  assert.ok(together > 40, `${together} of 100`);
});

test("documents with several vectors, with none and with one that has no direction are found in cells", () => {
  const several = Array.from({ length: 1500 }, (_, i) => {
    if (i % 5 === 1) return [];
    if (i === 700) return [Array.from({ length: DIMENSIONS }, () => 0)];
    return Array.from({ length: 1 + (i % 3) }, () => clusters.vector());
  });
  const mixed = openVectors(withCells(segmentOf(several)));
  const withVectors = several.flatMap((own, row) => (own.length > 0 ? [row] : []));
  const rows = Bitmap.of(
    several.length,
    withVectors.filter((row) => row % 4 !== 3 || row === 700),
  );
  let hits = 0;
  for (const query of queries) {
    const exact = exactNeighbours(several, query, rows, WANTED);
    const found = find(mixed, query, rows, WANTED, always);
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
  const inCells = new SegmentSearch(segment, target, always).nearest(rows, WANTED, NO_HURRY);
  const scanned = new SegmentSearch({ ...segment, sketches: null }, target).nearest(rows, DOCUMENTS, NO_HURRY);
  const distances = new Map(Array.from(scanned.slots, (slot, i) => [slot, scanned.distances[i]]));
  for (const [i, slot] of inCells.slots.entries()) assert.equal(inCells.distances[i], distances.get(slot));
});

test("neither way goes on when time is up", () => {
  const rows = Bitmap.full(DOCUMENTS);
  const target = new VectorTarget(queries[2]!);
  for (const from of [segment, { ...segment, sketches: null }]) {
    let looks = 0;
    const late = new Clock(0, () => looks++);
    assert.throws(() => new SegmentSearch(from, target, always).nearest(rows, 200, late), TimeIsUp);
    assert.equal(from.reader.home.workspace.mark, from.reader.home.workspace.start);
  }
});
