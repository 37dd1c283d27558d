/** Segments tell the rows of prefixes with which very many places of words begin. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { mergeSegments } from "../../../src/storage/segment/merge.ts";
import { PART } from "../../../src/storage/segment/parts.ts";
import type { SegmentReader } from "../../../src/storage/segment/reader.ts";
import { commonPrefixPart } from "./oracle/common-prefixes.ts";
import { build, type Doc, open, type Row, rowsOf, write } from "./support.ts";

const PLACES_MIN = 65_536;
const ROWS = 9000;

/** Letters of one, two and three bytes; words that share four, and words that only begin with the same one. */
const BEGINNINGS = ["sab", "sabe", "tu", "t", "па", "пр", "ა", "q"];

function word(number: number): string {
  return `${BEGINNINGS[number % 7]}${String.fromCharCode(97 + (number % 11))}${String.fromCharCode(97 + (number % 5))}`;
}

/** Of every field some words, and of some rows none. */
function documents(fieldCount: number): Doc[] {
  return Array.from({ length: ROWS }, (_, i) => {
    if (i % 13 === 0) return { id: i, other: "q" };
    const texts = Array.from({ length: fieldCount }, (__, field): [string, string] => {
      const words = Array.from({ length: field === 0 ? 60 : (i + field) % 9 }, (___, place) => {
        return word((i * 7919 + place * 104_729 + field * 31) >>> 2);
      });
      return [`field${field}`, words.join(place(i))];
    });
    return { id: i, ...Object.fromEntries(texts) };
  });
}

/** Sentences stand further apart. */
function place(i: number): string {
  return i % 3 === 0 ? " " : ". ";
}

function told(reader: SegmentReader): string[] {
  return reader.commonPrefixes.map(({ first, end, rows }) => {
    return `${reader.terms.term(first)} ${reader.terms.term(end - 1)} ${rows}`;
  });
}

/** The bytes of its part are those of going through terms and occurrences. */
function assertTold(reader: SegmentReader, part: Uint8Array): void {
  const expected = commonPrefixPart(reader, PLACES_MIN).map(({ chunks }) => Buffer.concat([...chunks]));
  assert.equal(expected.length, 1);
  assert.ok(expected[0]!.equals(part));
}

function opened(rows: readonly Row[]) {
  const segment = build(rows);
  const parts = segment.parts.map(({ chunks, kind }) => ({ kind, chunks: [Buffer.concat([...chunks])] }));
  const reader = open(write({ ...segment, parts }));
  return { reader, part: parts.find(({ kind }) => kind === PART.commonPrefixes)?.chunks[0] ?? null };
}

test("rows, fields and first positions are those of all words that begin so", () => {
  const { part, reader } = opened(rowsOf(documents(3)));
  assertTold(reader, part!);
  const beginnings = told(reader).map((line) => line.slice(0, 1));
  assert.deepEqual([...new Set(beginnings)].sort(), ["s", "t", "ა", "п"].sort());
  reader.close();
});

test("segments that are merged tell what one of the same documents tells", () => {
  const rows = rowsOf(documents(2));
  const hands = [0, 1, 2].map((hand) => rows.filter((_, i) => i % 3 === hand));
  const isDropped = ({ docid }: Row) => docid % 10 === 0;
  const inputs = hands.map((hand) => ({
    reader: open(write(build(hand))),
    live: Bitmap.of(
      hand.length,
      hand.flatMap((row, i) => (isDropped(row) ? [] : [i])),
    ),
  }));
  const merged = open(write(mergeSegments(inputs)));
  const { part, reader } = opened(rows.filter((row) => !isDropped(row)));
  assertTold(reader, part!);
  assert.deepEqual(
    merged.commonPrefixes.map((own) => ({ ...own, bits: Buffer.from(own.bits), masks: Buffer.from(own.masks) })),
    reader.commonPrefixes.map((own) => ({ ...own, bits: Buffer.from(own.bits), masks: Buffer.from(own.masks) })),
  );
  for (const { reader: own } of [...inputs, { reader: merged }, { reader }]) own.close();
});

test("nothing is told of fewer places, of more than eight fields, and where a merge leaves a field out", () => {
  const few = open(write(build(rowsOf(documents(2).slice(0, 900)))));
  assert.deepEqual(told(few), []);
  const wide = open(write(build(rowsOf(documents(8)))));
  assert.equal(wide.fields.length, 10);
  assert.deepEqual(told(wide), []);
  const rows = rowsOf([...documents(2), { id: ROWS, vanishing: "word" }]);
  const reader = open(write(build(rows)));
  assert.notDeepEqual(told(reader), []);
  const live = Bitmap.of(
    rows.length,
    rows.slice(0, -1).map((_, i) => i),
  );
  const merged = open(write(mergeSegments([{ reader, live }])));
  assert.deepEqual(told(merged), []);
  for (const own of [few, wide, reader, merged]) own.close();
});
