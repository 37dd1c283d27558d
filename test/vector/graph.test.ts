/** Graphs of near vectors: what a walk finds against an exact search, and that a graph changes nothing else. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { Clock, TimeIsUp } from "../../src/rank/clock.ts";
import { Bitmap } from "../../src/segment/bitmap.ts";
import { verifySegment } from "../../src/segment/container.ts";
import { PART_GRAPHS } from "../../src/segment/parts.ts";
import type { Way } from "../../src/vector/effort.ts";
import { SegmentSearch, type SegmentVectors } from "../../src/vector/segment-search.ts";
import { VectorTarget } from "../../src/vector/target.ts";
import { Clusters, DIMENSIONS, exactNeighbours, imageOf, openVectors, segmentOf, withGraph } from "./graph-support.ts";

const DOCUMENTS = 6000;
const QUERIES = 40;
const WANTED = 10;
const RECALL_MIN = 0.97;
const NO_HURRY = new Clock(Number.POSITIVE_INFINITY);
const always = (): Way => "walk";

const clusters = new Clusters(7);
const documents = Array.from({ length: DOCUMENTS }, () => [clusters.vector()]);
const queries = Array.from({ length: QUERIES }, () => clusters.vector());
let file = "";
let segment: SegmentVectors;

before(() => {
  file = segmentOf(documents);
  segment = openVectors(withGraph(file));
});

/** Rows found: by a walk where `walks` says so. */
function find(from: SegmentVectors, target: number[], rows: Bitmap, wanted: number, walks?: () => Way): number[] {
  const search = new SegmentSearch(from, new VectorTarget(target), walks);
  return Array.from(search.nearest(rows, wanted, NO_HURRY).slots, (slot) => from.vectors.rowList[slot]!);
}

function recall(rows: Bitmap, walks?: () => Way): number {
  let hits = 0;
  let all = 0;
  for (const query of queries) {
    const exact = new Set(exactNeighbours(documents, query, rows, WANTED));
    all += exact.size;
    for (const row of find(segment, query, rows, WANTED, walks)) if (exact.has(row)) hits++;
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
    const walked = recall(rows, always);
    assert.ok(walked >= RECALL_MIN, `recall of a walk: ${walked}`);
  });
}

test("without a graph the answer is exact", () => {
  const plain = openVectors(file);
  const rows = Bitmap.full(DOCUMENTS);
  for (const query of queries.slice(0, 10)) {
    assert.deepEqual(find(plain, query, rows, WANTED), exactNeighbours(documents, query, rows, WANTED));
  }
});

test("a walk that cannot find enough gives way to a scan: nothing is left out", () => {
  const rows = Bitmap.full(DOCUMENTS);
  const found = find(segment, queries[0]!, rows, DOCUMENTS, always);
  assert.equal(new Set(found).size, DOCUMENTS);
});

test("the same vectors give the same graph, and it can be built again", () => {
  assert.deepEqual(imageOf(file), imageOf(file));
  const again = withGraph(withGraph(file));
  assert.deepEqual(readFileSync(again), readFileSync(withGraph(file)));
});

test("a graph leaves the rest of its segment as it was", () => {
  const copy = withGraph(file);
  assert.equal(verifySegment(copy), null);
  const [before, after] = [openVectors(file).reader, openVectors(copy).reader];
  const parts = (reader: typeof before) =>
    reader.header.parts
      .filter(({ kind }) => kind !== PART_GRAPHS)
      .map(({ kind, crc, length }) => ({ kind, crc, length }));
  assert.deepEqual(parts(after), parts(before));
  assert.equal(after.header.parts.length, before.header.parts.length + 1);
  assert.deepEqual(after.readDocument(DOCUMENTS - 1), before.readDocument(DOCUMENTS - 1));
});

test("documents with several vectors, with none and with one that has no direction are found by a walk", () => {
  const several = Array.from({ length: 1500 }, (_, i) => {
    if (i % 5 === 1) return [];
    if (i === 700) return [Array.from({ length: DIMENSIONS }, () => 0)];
    return Array.from({ length: 1 + (i % 3) }, () => clusters.vector());
  });
  const mixed = openVectors(withGraph(segmentOf(several)));
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
  const walked = new SegmentSearch(segment, target, always).nearest(rows, WANTED, NO_HURRY);
  const scanned = new SegmentSearch({ ...segment, graph: null }, target).nearest(rows, DOCUMENTS, NO_HURRY);
  const distances = new Map(Array.from(scanned.slots, (slot, i) => [slot, scanned.distances[i]]));
  for (const [i, slot] of walked.slots.entries()) assert.equal(walked.distances[i], distances.get(slot));
});

test("neither way goes on when time is up", () => {
  const rows = Bitmap.full(DOCUMENTS);
  const target = new VectorTarget(queries[2]!);
  for (const from of [segment, { ...segment, graph: null }]) {
    let looks = 0;
    const late = new Clock(0, () => looks++);
    assert.throws(() => new SegmentSearch(from, target, always).nearest(rows, 200, late), TimeIsUp);
    assert.equal(from.reader.home.workspace.mark, from.reader.home.workspace.start);
  }
});
