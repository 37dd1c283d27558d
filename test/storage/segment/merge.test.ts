import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { mergeSegments, rebuildSegment } from "../../../src/storage/segment/merge.ts";
import { PART } from "../../../src/storage/segment/parts.ts";
import type { SegmentReader } from "../../../src/storage/segment/reader.ts";
import { documents } from "./documents.ts";
import { asItIs, withWideForward } from "./older.ts";
import { build, type Doc, dump, EVERYTHING, open, type Row, rowsOf, write } from "./support.ts";

const RULES = { ...EVERYTHING, facetedTrees: ["a", "c"] };

/** Deals rows to segments; each keeps ascending internal ids. */
function deal(rows: readonly Row[], hands: readonly number[]): Row[][] {
  const dealt: Row[][] = Array.from({ length: Math.max(...hands) + 1 }, () => []);
  rows.forEach((row, i) => {
    dealt[hands[i % hands.length]!]!.push(row);
  });
  return dealt;
}

/** The same bytes in every part; field sets are numbered in order of arrival and compared by what they say. */
function assertSameParts(merged: string, built: string): void {
  const [mergedBytes, builtBytes] = [readFileSync(merged), readFileSync(built)];
  const [mergedReader, builtReader] = [open(merged), open(built)];
  assert.equal(mergedReader.rows, builtReader.rows);
  for (const [i, part] of builtReader.header.parts.entries()) {
    const other = mergedReader.header.parts[i]!;
    assert.equal(other.kind, part.kind);
    if (part.kind === PART.fieldSets) continue;
    const ours = mergedBytes.subarray(other.offset, other.offset + other.length);
    assert.ok(ours.equals(builtBytes.subarray(part.offset, part.offset + part.length)), `part ${part.kind}`);
  }
  for (let row = 0; row < builtReader.rows; row++) {
    const fieldsOf = ({ fieldSets }: SegmentReader) => [...fieldSets.fieldsOf(fieldSets.setOf(row))].sort();
    assert.deepEqual(fieldsOf(mergedReader), fieldsOf(builtReader));
  }
}

function assertMergesLikeBuilt(docsOf: fc.Arbitrary<Doc[]>): void {
  const hands = fc.array(fc.nat(8), { minLength: 1, maxLength: 20 });
  const dropped = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 });
  const ages = fc.constantFrom(asItIs, withWideForward);
  fc.assert(
    fc.property(docsOf, hands, dropped, ages, (docs, deals, drops, age) => {
      const rows = rowsOf(docs.map((doc, i) => ({ ...doc, id: i })));
      const isDropped = ({ docid }: Row) => drops[docid % drops.length]!;
      const inputs = deal(rows, deals).map((hand) => ({
        reader: open(write(age(build(hand, RULES)))),
        live: Bitmap.of(
          hand.length,
          hand.flatMap((row, i) => (isDropped(row) ? [] : [i])),
        ),
      }));
      const kept = rows.filter((row) => !isDropped(row));
      assertSameParts(write(mergeSegments(inputs)), write(build(kept, RULES)));
      for (const { reader } of inputs) reader.close();
    }),
    { numRuns: 150 },
  );
}

test("merging segments gives the bytes of building their documents at once", () => {
  assertMergesLikeBuilt(documents);
});

test("the same where a row has several spellings of one value, of which the last stays", () => {
  const spelling = fc.constantFrom(
    "alpha",
    "alpha ",
    " alpha",
    "Alpha",
    "ALPHA\n",
    "beta",
    "Beta",
    "Été",
    "été",
    7,
    7.0,
  );
  assertMergesLikeBuilt(fc.array(fc.record({ a: fc.array(spelling, { maxLength: 4 }) }), { maxLength: 12 }));
});

test("long lists, dense and sparse, survive a merge of interleaved rows", () => {
  const docs: Doc[] = Array.from({ length: 5000 }, (_, i) => ({
    id: i,
    t: `every ${i % 5 === 0 ? "fifth" : "other"} ${i % 90 === 3 ? "seldom" : ""} w${i % 700}`,
    u: i % 7 === 0 ? "every fifth" : "",
  }));
  const rows = rowsOf(docs);
  const dropped = new Set(rows.filter(({ docid }) => docid % 11 === 4).map(({ docid }) => docid));
  for (const hands of [
    [0, 1, 2],
    [...Array(2000).fill(0), ...Array(2000).fill(1), ...Array(1000).fill(2)],
  ]) {
    const inputs = deal(rows, hands).map((hand) => ({
      reader: open(write(build(hand))),
      live: Bitmap.of(
        hand.length,
        hand.flatMap(({ docid }, i) => (dropped.has(docid) ? [] : [i])),
      ),
    }));
    const merged = open(write(mergeSegments(inputs)));
    const built = open(write(build(rows.filter(({ docid }) => !dropped.has(docid)))));
    assert.deepEqual(dump(merged), dump(built));
    assert.deepEqual([...merged.docids], [...built.docids]);
    for (let row = 0; row < merged.rows; row += 100) {
      assert.deepEqual(merged.readDocument(row), built.readDocument(row));
      assert.equal(merged.findRow(built.externalId(row)), row);
    }
  }
});

test("a merge of nothing, and of nothing but dropped rows, is an empty segment", () => {
  const all = { reader: open(write(build(rowsOf([{ id: 1, t: "x" }])))), live: Bitmap.create(1) };
  for (const inputs of [[], [all]]) {
    const reader = open(write(mergeSegments(inputs)));
    assert.equal(reader.rows, 0);
    assert.equal(reader.terms.count, 0);
    assert.deepEqual(reader.fields, []);
  }
});

test("rebuilding follows new rules and drops deleted rows", () => {
  const rows = rowsOf(Array.from({ length: 40 }, (_, i) => ({ id: i, a: `word${i} the`, b: { c: "hidden" } })));
  const live = Bitmap.full(40);
  for (const row of [0, 7, 8, 39]) live.clear(row);
  const rules = { ...EVERYTHING, searchable: ["a"], stopWords: ["the"], facetedNames: ["id"] };
  const rebuilt = readFileSync(write(rebuildSegment({ reader: open(write(build(rows))), live }, rules)));
  const built = readFileSync(
    write(
      build(
        rows.filter((_, i) => live.has(i)),
        rules,
      ),
    ),
  );
  assert.ok(rebuilt.equals(built));
});
