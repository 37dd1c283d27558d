/** A columns part answers what a plain list of values per row would, alone and after merging. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { normalizeFacet } from "../../../../src/base/text/normalize.ts";
import { storedFacet } from "../../../../src/storage/segment/columns/facet.ts";
import { mergeColumns } from "../../../../src/storage/segment/columns/merge.ts";
import { ColumnsReader } from "../../../../src/storage/segment/columns/reader.ts";
import { ColumnsBuilder } from "./builder.ts";

type Value = number | string;
interface Row {
  exists: boolean;
  isNull: boolean;
  isEmpty: boolean;
  values: Value[];
}

const value = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom("a", "A", "b", "B ", " ", "été", "ÉTÉ", "😀", "\uffee", "zz", "10"),
  fc.string({ minLength: 1, unit: "grapheme", maxLength: 5 }),
);
const row: fc.Arbitrary<Row> = fc.record({
  exists: fc.boolean(),
  isNull: fc.boolean(),
  isEmpty: fc.boolean(),
  values: fc.oneof(fc.constant<Value[]>([]), fc.array(value, { maxLength: 1 }), fc.array(value, { maxLength: 4 })),
});
const table = fc.oneof(fc.array(row, { maxLength: 12 }), fc.array(row, { minLength: 60, maxLength: 80 }));

function build(rows: (Row | null)[], field = "f"): ColumnsReader {
  const builder = new ColumnsBuilder(rows.length);
  rows.forEach((each, at) => {
    if (each === null) return;
    if (each.exists || each.values.length > 0) builder.present(at, field);
    if (each.isNull) builder.isNull(at, field);
    if (each.isEmpty) builder.isEmpty(at, field);
    for (const one of each.values) {
      if (typeof one === "number") builder.number(at, field, one);
      else builder.string(at, field, one);
    }
  });
  return new ColumnsReader(inSharedMemory(builder.finish()));
}

/** As a reader meets it: shared bytes on a 64-byte boundary. */
function inSharedMemory(part: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(part.length + 64), 64);
  shared.set(part);
  return shared;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Distinct numbers ascending; last spelling by normalized string, ascending. */
function expectedOf(each: Row): { numbers: number[]; strings: [string, string][] } {
  const numbers = new Set<number>();
  const strings = new Map<string, string>();
  for (const one of each.values) {
    if (typeof one === "number") numbers.add(one === 0 ? 0 : one);
    else strings.set(storedFacet(one), one);
  }
  return {
    numbers: [...numbers].sort((a, b) => a - b),
    strings: [...strings].sort((a, b) => byBytes(a[0], b[0])),
  };
}

function check(reader: ColumnsReader, rows: (Row | null)[]): void {
  const column = reader.column("f");
  const present = rows.map((each) => each ?? { exists: false, isNull: false, isEmpty: false, values: [] });
  if (column === null) {
    assert.ok(present.every((each) => !each.exists && each.values.length === 0));
    return;
  }
  const where = (holds: (each: Row) => boolean): number[] => present.flatMap((each, at) => (holds(each) ? [at] : []));
  assert.deepEqual(
    [...column.exists.toBitmap().toArray()],
    where((each) => each.exists || each.values.length > 0),
  );
  assert.deepEqual(
    [...column.nullRows.toBitmap().toArray()],
    where((each) => each.isNull),
  );
  assert.deepEqual(
    [...column.emptyRows.toBitmap().toArray()],
    where((each) => each.isEmpty),
  );
  const dictionary = new Set<string>();
  present.forEach((each, at) => {
    const expected = expectedOf(each);
    assert.deepEqual(column.numbersOf(at), expected.numbers);
    assert.deepEqual(
      column.stringsOf(at).map(({ normalized, original }) => [normalized, original]),
      expected.strings,
    );
    for (const [normalized] of expected.strings) dictionary.add(normalized);
    for (const descending of [false, true]) {
      const code = column.sortCode(at, descending);
      const ordered = descending ? -1 : 0;
      if (expected.numbers.length > 0) assert.equal(column.numberOfCode(code), expected.numbers.at(ordered));
      else if (expected.strings.length === 0) assert.equal(code, 0);
      else assert.equal(column.stringAt(column.stringOfCode(code)), expected.strings.at(ordered)![0]);
    }
  });
  const strings = Array.from({ length: column.stringCount }, (_, ordinal) => column.stringAt(ordinal));
  assert.deepEqual(strings, [...dictionary].sort(byBytes));
  strings.forEach((text, ordinal) => {
    assert.equal(column.ordinalOfString(bytes(text)), ordinal);
    const out = column.rowsIn([column.codesOfStrings({ from: ordinal, to: ordinal + 1 })]);
    assert.deepEqual(
      [...out.toArray()],
      where((each) => expectedOf(each).strings.some(([own]) => own === text)),
    );
  });
  assert.equal(column.ordinalOfString(bytes("\u{10ffff}")), -1);
}

test("every value, trait and sort key of a row is found again", () => {
  fc.assert(fc.property(table, (rows) => check(build(rows), rows)));
});

test("ranges of numbers and strings select the rows with a value inside", () => {
  const bound = fc.integer({ min: -4, max: 4 });
  fc.assert(
    fc.property(
      table,
      bound,
      bound,
      fc.boolean(),
      fc.boolean(),
      fc.string({ maxLength: 2 }),
      (rows, a, b, low, high, text) => {
        const column = build(rows).column("f");
        if (column === null) return;
        const numbers = column.rowsIn([column.codesOfNumbers(column.rangeOfNumbers(a, low, b, high))]);
        const inside = (n: number): boolean => (low ? n >= a : n > a) && (high ? n <= b : n < b);
        const expected = rows.flatMap((each, at) => (expectedOf(each).numbers.some(inside) ? [at] : []));
        assert.deepEqual([...numbers.toArray()], expected);
        const strings = column.rowsIn([column.codesOfStrings(column.rangeOfStrings(bytes(text), low, null, false))]);
        const above = ([own]: [string, string]): boolean => byBytes(own, text) > 0 || (low && own === text);
        assert.deepEqual(
          [...strings.toArray()],
          rows.flatMap((each, at) => (expectedOf(each).strings.some(above) ? [at] : [])),
        );
        const prefixed = column.rowsIn([column.codesOfStrings(column.rangeOfPrefix(bytes(text)))]);
        assert.deepEqual(
          [...prefixed.toArray()],
          rows.flatMap((each, at) => (expectedOf(each).strings.some(([own]) => own.startsWith(text)) ? [at] : [])),
        );
      },
    ),
  );
});

test("a merge equals a build of the kept rows", () => {
  fc.assert(
    fc.property(fc.array(table, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.boolean()), (tables, keep) => {
      const merged: Row[] = [];
      const inputs = tables.map((rows) => ({
        reader: build(rows),
        rowMap: Int32Array.from(rows, (each) => (keep.next().value ? merged.push(each) - 1 : -1)),
      }));
      const reader = new ColumnsReader(inSharedMemory(mergeColumns(inputs, merged.length)));
      check(reader, merged);
      if (merged.some((each) => each.exists || each.values.length > 0)) {
        const builder = build(merged);
        assert.deepEqual(reader.fields(), builder.fields());
        assert.equal(reader.column("f")!.codesMax <= builder.column("f")!.codesMax, true);
      }
    }),
  );
});

test("merged rows may interleave", () => {
  const a = build([{ exists: true, isNull: false, isEmpty: false, values: ["x"] }, null]);
  const b = build([{ exists: true, isNull: false, isEmpty: false, values: ["X", 3] }]);
  const part = mergeColumns(
    [
      { reader: a, rowMap: Int32Array.of(1, 2) },
      { reader: b, rowMap: Int32Array.of(0) },
    ],
    3,
  );
  const column = new ColumnsReader(part).column("f")!;
  assert.deepEqual(column.stringsOf(0), [{ normalized: "x", original: "X" }]);
  assert.deepEqual(column.stringsOf(1), [{ normalized: "x", original: "x" }]);
  assert.deepEqual(column.numbersOf(0), [3]);
  assert.equal(column.stringCount, 1);
  assert.equal(column.spellingCount, 2);
});

test("rows may be given in any order", () => {
  const builder = new ColumnsBuilder(3);
  for (const at of [2, 0, 2]) {
    builder.present(at, "f");
    builder.number(at, "f", at);
    builder.string(at, "f", "s");
  }
  const column = new ColumnsReader(builder.finish()).column("f")!;
  assert.deepEqual([...column.exists.toBitmap().toArray()], [0, 2]);
  assert.deepEqual(column.numbersOf(2), [2]);
  assert.deepEqual(column.numbersOf(0), [0]);
  assert.equal(column.stringsOf(1).length, 0);
});

test("long values are cut at a character, blank ones are the empty value and empty ones are none", () => {
  const builder = new ColumnsBuilder(3);
  const long = `${"a".repeat(467)}é${"b".repeat(50)}`;
  builder.string(0, "f", long);
  builder.string(1, "f", "  ");
  builder.string(2, "f", "");
  const column = new ColumnsReader(builder.finish()).column("f")!;
  assert.deepEqual(column.stringsOf(0), [{ normalized: `${"a".repeat(467)}e`, original: long }]);
  assert.deepEqual(column.stringsOf(1), [{ normalized: "", original: "  " }]);
  assert.deepEqual(column.stringsOf(2), []);
  assert.equal(Buffer.byteLength(storedFacet("é".repeat(400))) <= 468, true);
  assert.equal(normalizeFacet("é".repeat(400)).startsWith(storedFacet("é".repeat(400))), true);
});

test("the number of codes decides their width", () => {
  for (const distinct of [200, 300, 70_000]) {
    const builder = new ColumnsBuilder(distinct);
    for (let at = 0; at < distinct; at++) builder.number(at, "f", at);
    const column = new ColumnsReader(builder.finish()).column("f")!;
    assert.equal(column.codes.BYTES_PER_ELEMENT, distinct < 256 ? 1 : distinct < 65_536 ? 2 : 4);
    assert.deepEqual(column.numbersOf(distinct - 1), [distinct - 1]);
  }
});
