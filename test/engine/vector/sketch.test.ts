/** Sketches: what they say of vectors, and that the nearest are among those that look near. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Deadline, TimeIsUp } from "../../../src/engine/query/deadline.ts";
import type { Way } from "../../../src/engine/vector/cost-model.ts";
import { SegmentSearch, type SegmentVectors } from "../../../src/engine/vector/segment-search.ts";
import { VectorTarget } from "../../../src/engine/vector/target.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { mergeSegments } from "../../../src/storage/segment/merge.ts";
import { PART } from "../../../src/storage/segment/parts.ts";
import type { SegmentReader } from "../../../src/storage/segment/reader.ts";
import { bitCodesOf } from "../../../src/storage/segment/vectors/bit-codes.ts";
import { open, write } from "../../storage/segment/support.ts";
import { Clusters, DIMENSIONS, exactNeighbours, openVectors, segmentOf } from "./parts-support.ts";

const DOCUMENTS = 9000;
const QUERIES = 30;
const WANTED = 10;
const RECALL_MIN = 0.99;
const NO_HURRY = new Deadline(Number.POSITIVE_INFINITY);
const bySketches = (): Way => "sketches";

const clusters = new Clusters(11);
const documents = Array.from({ length: DOCUMENTS }, () => [clusters.vector()]);
const queries = Array.from({ length: QUERIES }, () => clusters.vector());
let segment: SegmentVectors;

before(() => {
  segment = openVectors(segmentOf(documents));
});

function find(from: SegmentVectors, target: number[], rows: Bitmap, wanted = WANTED): number[] {
  const { slots } = new SegmentSearch(from, new VectorTarget(target), bySketches).nearest(rows, wanted, NO_HURRY);
  return Array.from(slots, (slot) => from.vectors.rowList[slot]!);
}

function every(count: number, step: number): Bitmap {
  return Bitmap.of(
    count,
    Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step),
  );
}

for (const [name, step] of Object.entries({ "all rows": 1, half: 2, "a tenth": 10, "a hundredth": 100 })) {
  test(`the nearest of ${name} are found`, () => {
    const rows = every(DOCUMENTS, step);
    let hits = 0;
    for (const query of queries) {
      const exact = new Set(exactNeighbours(documents, query, rows, WANTED));
      for (const row of find(segment, query, rows)) if (exact.has(row)) hits++;
    }
    assert.ok(hits / (QUERIES * WANTED) >= RECALL_MIN, `recall: ${hits / (QUERIES * WANTED)}`);
  });
}

test("in an order in which the nearest come last, or together, they are found as well", () => {
  const [target] = queries as [number[]];
  const order = exactNeighbours(documents, target, Bitmap.full(DOCUMENTS), DOCUMENTS);
  for (const sorted of [order, [...order].reverse()]) {
    const moved = openVectors(segmentOf(sorted.map((row) => documents[row]!)));
    const found = new Set(find(moved, target, Bitmap.full(DOCUMENTS)).map((row) => sorted[row]!));
    const hits = order.slice(0, WANTED).filter((row) => found.has(row)).length;
    assert.ok(hits >= WANTED - 1, `${hits} of ${WANTED}`);
  }
});

test("all that there is can be asked for", () => {
  const rows = every(DOCUMENTS, 3);
  const found = find(segment, queries[0]!, rows, DOCUMENTS);
  assert.deepEqual(new Set(found), new Set(rows.toArray()));
});

test("documents with several vectors, with none and with one that has no direction are found", () => {
  const several = Array.from({ length: 6000 }, (_, i) => {
    if (i % 5 === 1) return [];
    if (i === 700) return [Array.from({ length: DIMENSIONS }, () => 0)];
    return Array.from({ length: 1 + (i % 3) }, () => clusters.vector());
  });
  const mixed = openVectors(segmentOf(several));
  assert.notEqual(mixed.sketches, null);
  const rows = Bitmap.of(
    several.length,
    several.flatMap((own, row) => (own.length > 0 && (row % 4 !== 3 || row === 700) ? [row] : [])),
  );
  let hits = 0;
  for (const query of queries) {
    const exact = exactNeighbours(several, query, rows, WANTED);
    const found = find(mixed, query, rows);
    assert.equal(found[0], 700);
    assert.equal(new Set(found).size, WANTED);
    hits += found.filter((row) => exact.includes(row)).length;
  }
  assert.ok(hits / (QUERIES * WANTED) >= RECALL_MIN);
});

test("merged segments have the sketches of one built at once", () => {
  const halves = [0, 1].map((half) => open(segmentOf(documents.map((own, row) => (row % 2 === half ? own : [])))));
  const live = (half: number) =>
    Bitmap.of(
      DOCUMENTS,
      documents.flatMap((_, row) => (row % 2 === half ? [row] : [])),
    );
  const merged = open(write(mergeSegments(halves.map((reader, half) => ({ reader, live: live(half) })))));
  const bytes = (reader: SegmentReader) => reader.header.parts.find(({ kind }) => kind === PART.bitCodes)!.crc;
  assert.equal(bytes(merged), bytes(segment.reader));
});

test("the bits tell on which side of the mean a number lies, and whether far from it", () => {
  for (const dimensions of [6, 300]) {
    const stride = Math.ceil(dimensions / 16) * 16;
    const codes = new Int8Array(40 * stride);
    for (let v = 0; v < 40; v++)
      for (let d = 0; d < dimensions; d++) codes[v * stride + d] = ((v * 37 + d * 11) % 201) - 100;
    const scales = Float32Array.from({ length: 40 }, (_, v) => (v === 9 ? 0 : 0.001 * (1 + (v % 3))));
    const coded = () => [{ codes: new Uint8Array(codes.buffer), scales, stride }];
    const image = bitCodesOf({ coded, dimensions, vectors: 40 });
    const [vectors, , atPlace, places, loose] = image;
    assert.deepEqual([vectors, loose, image.at(-1)], [40, 1, 9]);
    const blocks = new Uint8Array(image.buffer, 4 * (8 + Math.ceil(dimensions / 4) * 4));
    for (let d = 0; d < dimensions; d++) {
      const numbers = Array.from(scales, (scale, v) => codes[v * stride + d]! * scale);
      const known = numbers.filter((_, v) => scales[v] !== 0);
      const mean = known.reduce((sum, number) => sum + number, 0) / known.length;
      const spread = Math.sqrt(known.reduce((sum, number) => sum + (number - mean) ** 2, 0) / known.length);
      numbers.forEach((number, v) => {
        const byte = blocks[(Math.floor(v / 32) * places! + Math.floor(d / atPlace!)) * 16 + (v % 16)]!;
        const nibble = v % 32 < 16 ? byte & 15 : byte >>> 4;
        const away = (number - mean) / spread;
        if (Math.abs(away) < 1e-6 || Math.abs(Math.abs(away) - 0.9816) < 1e-6) return;
        if (atPlace === 4) assert.equal((nibble >>> (d % 4)) & 1, away > 0 ? 1 : 0);
        else assert.equal((nibble >>> (2 * (d % 2))) & 3, [-0.9816, 0, 0.9816].filter((bound) => away > bound).length);
      });
    }
  }
});

test("it does not go on when time is up", () => {
  const late = new Deadline(0, () => 1);
  const { workspace } = segment.reader.home;
  const search = new SegmentSearch(segment, new VectorTarget(queries[2]!), bySketches);
  assert.throws(() => search.nearest(Bitmap.full(DOCUMENTS), WANTED, late), TimeIsUp);
  assert.equal(workspace.mark, workspace.start);
});
