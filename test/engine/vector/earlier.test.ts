/** Segments of earlier versions, whose vectors have no 8-bit codes: searched by their floats, given codes by a merge. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Deadline } from "../../../src/engine/query/deadline.ts";
import { SegmentSearch } from "../../../src/engine/vector/segment-search.ts";
import { VectorTarget } from "../../../src/engine/vector/target.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { bytesOf } from "../../../src/storage/segment/byte-log.ts";
import { readHotParts, readSegmentHeader } from "../../../src/storage/segment/container.ts";
import { bytesVector, flatPart, wordsVector } from "../../../src/storage/segment/flat-table.ts";
import { VectorsPart } from "../../../src/storage/segment/generated/vectors-part.ts";
import { mergeSegments } from "../../../src/storage/segment/merge.ts";
import { PART, type Part } from "../../../src/storage/segment/parts.ts";
import { open, write } from "../../storage/segment/support.ts";
import { Clusters, DIMENSIONS, exactNeighbours, openVectors, segmentOf } from "./parts-support.ts";

const DOCUMENTS = 400;
const clusters = new Clusters(3);
const documents = Array.from({ length: DOCUMENTS }, (_, i) =>
  i % 7 === 2 ? [] : Array.from({ length: 1 + (i % 2) }, () => clusters.vector()),
);

/** The file as it would have been written before there were codes. */
function withoutCodes(file: string): string {
  const { parts, rows } = readSegmentHeader(readHotParts(file));
  const { vectors } = open(file);
  const { count, floats, norms, regenerate, rowList, starts } = vectors!.embedder("e")!;
  const old = flatPart(PART.vectors, VectorsPart, {
    rows,
    names: bytesVector([Buffer.from(JSON.stringify(["e"]))]),
    heads: wordsVector(Uint32Array.from([DIMENSIONS, 0, rowList.length, count])),
    rowLists: wordsVector(rowList),
    starts: wordsVector(starts),
    regenerate: wordsVector(regenerate),
    norms: { chunks: [bytesOf(norms)], byteLength: norms.byteLength, elementBytes: 4 },
    floats: { chunks: [bytesOf(floats)], byteLength: floats.byteLength, elementBytes: 4 },
  });
  const bytes = readFileSync(file);
  const others = parts
    .filter(({ kind }) => kind !== PART.vectors)
    .map(({ kind, offset, length }): Part => ({ kind, chunks: [bytes.subarray(offset, offset + length)] }));
  return write({ rows, documentBytes: 0, parts: [...others, old] });
}

function nearest(file: string, target: number[]): number[] {
  const segment = openVectors(file);
  const search = new SegmentSearch(segment, new VectorTarget(target));
  const { slots } = search.nearest(Bitmap.full(DOCUMENTS), 10, new Deadline(Number.POSITIVE_INFINITY));
  return Array.from(slots, (slot) => segment.vectors.rowList[slot]!);
}

test("vectors without codes are found by their floats", () => {
  const old = withoutCodes(segmentOf(documents));
  assert.equal(openVectors(old).vectors.isCoded, false);
  const withVectors = Bitmap.of(
    DOCUMENTS,
    documents.flatMap((own, row) => (own.length > 0 ? [row] : [])),
  );
  for (let i = 0; i < 10; i++) {
    const target = clusters.vector();
    assert.deepEqual(nearest(old, target), exactNeighbours(documents, target, withVectors, 10));
  }
});

test("a merge makes the codes that they lack", () => {
  const file = segmentOf(documents);
  const old = open(withoutCodes(file));
  const none = open(segmentOf(documents.map(() => [])));
  const merged = mergeSegments([
    { reader: none, live: Bitmap.of(DOCUMENTS, []) },
    { reader: old, live: null },
  ]);
  const made = openVectors(write(merged)).vectors;
  const { codes, scales } = openVectors(file).vectors;
  assert.deepEqual(made.codes, codes);
  assert.deepEqual(made.scales, scales);
});
