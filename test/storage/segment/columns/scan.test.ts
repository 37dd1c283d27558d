/** What kernels find in a column is what a look at every row finds, for all layouts of codes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Workspace } from "../../../../src/storage/memory/workspace.ts";
import { Bitmap } from "../../../../src/storage/segment/bitmap.ts";
import type { Column } from "../../../../src/storage/segment/columns/column.ts";
import { PlacedRows } from "../../../../src/storage/segment/columns/placed-rows.ts";
import { ColumnsReader } from "../../../../src/storage/segment/columns/reader.ts";
import { ColumnsBuilder } from "./builder.ts";

const ROOM_BYTES = 8 * 1024 * 1024;
const PART_BYTES_MAX = 4 * 1024 * 1024;
const { workspace, at } = Workspace.around(new Uint8Array(PART_BYTES_MAX), ROOM_BYTES);

/** A table of rows, given by its size and a seed, with as many distinct values and values a row as asked for. */
interface Shape {
  rows: number;
  distinct: number;
  perRow: number;
  /** One row of so many has values at all. */
  sparse: number;
  seed: number;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  rows: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1000, max: 3000 })),
  distinct: fc.constantFrom(1, 5, 200, 400, 2000),
  perRow: fc.constantFrom(1, 1, 3),
  sparse: fc.constantFrom(1, 2, 30),
  seed: fc.integer(),
});

function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Half of the values are numbers; some strings have two spellings. */
function columnOf({ rows, distinct, perRow, sparse, seed }: Shape): Column | null {
  const random = randomFrom(seed);
  const builder = new ColumnsBuilder(rows);
  for (let row = 0; row < rows; row++) {
    if (random() * sparse >= 1) continue;
    for (let i = 0; i < perRow; i++) {
      const value = Math.floor(random() * distinct);
      if (value % 2 === 0) builder.number(row, "f", value);
      else builder.string(row, "f", `${random() < 0.3 ? "V" : "v"}${value}`);
    }
  }
  return inHome(builder.finish()).column("f");
}

function inHome(part: Uint8Array): ColumnsReader {
  assert.ok(part.length <= PART_BYTES_MAX);
  const bytes = workspace.u8.subarray(at, at + part.length);
  bytes.set(part);
  return new ColumnsReader(bytes, {
    home: { workspace, at },
    isInPlace: true,
    addressOf: (view) => view.byteOffset,
  });
}

function codesOf(column: Column, row: number): number[] {
  const codes: number[] = [];
  for (let i = column.codeStart(row); i < column.codeEnd(row); i++) codes.push(column.codes[i]!);
  return codes;
}

function someRows(column: Column, random: () => number): Bitmap {
  const share = [0, 0.01, 0.3, 1][Math.floor(random() * 4)]!;
  const rows = Bitmap.create(column.rows);
  for (let row = 0; row < column.rows; row++) if (random() < share) rows.set(row);
  return rows;
}

function rowsWhere(column: Column, holds: (row: number) => boolean): number[] {
  return Array.from({ length: column.rows }, (_, row) => row).filter(holds);
}

test("ranges of codes select the rows that have one", () => {
  fc.assert(
    fc.property(shape, fc.integer({ min: 1, max: 12 }), (each, count) => {
      const column = columnOf(each);
      if (column === null) return;
      const random = randomFrom(each.seed + 1);
      const ranges = Array.from({ length: count }, () => {
        const from = 1 + Math.floor(random() * column.codesMax);
        const reach = random() < 0.2 ? column.codesMax : 4;
        return { from, to: Math.min(column.codesMax + 1, from + Math.floor(random() * reach)) };
      });
      const expected = rowsWhere(column, (row) =>
        codesOf(column, row).some((code) => ranges.some(({ from, to }) => code >= from && code < to)),
      );
      const { mark } = workspace;
      assert.deepEqual([...column.rowsIn(ranges).toArray()], expected);
      const set = Bitmap.create(column.codesMax + 1);
      for (const { from, to } of ranges) set.setRange(from, to);
      assert.deepEqual([...column.rowsOfSet(set).toArray()], expected);
      const among = someRows(column, random);
      const before = among.copy();
      assert.deepEqual(
        [...column.rowsAmong(ranges, among).toArray()],
        expected.filter((row) => among.has(row)),
      );
      assert.ok(among.equals(before));
      assert.equal(workspace.mark, mark);
    }),
  );
});

test("codes are counted, and first rows noted, among the rows of a set only", () => {
  fc.assert(
    fc.property(shape, (each) => {
      const column = columnOf(each);
      if (column === null) return;
      const rows = someRows(column, randomFrom(each.seed + 2));
      const placed = new PlacedRows(rows, workspace);
      assert.equal(placed.count, rows.count());
      const { codes, counts, firstRows } = column.scan.countCodes(placed);
      placed.release();
      const expected = new Map<number, { count: number; first: number }>();
      rows.forEach((row) => {
        for (const code of codesOf(column, row)) {
          const known = expected.get(code);
          if (known === undefined) expected.set(code, { count: 1, first: row });
          else known.count++;
        }
      });
      assert.deepEqual(
        [...codes],
        [...expected.keys()].sort((a, b) => a - b),
      );
      codes.forEach((code, i) => {
        assert.deepEqual({ count: counts[i], first: firstRows[i] }, expected.get(code));
      });
    }),
  );
});

test("rows come in the order of their values, chunk by chunk", () => {
  fc.assert(
    fc.property(shape, fc.boolean(), fc.integer({ min: 1, max: 300 }), (each, descending, wanted) => {
      const column = columnOf(each);
      if (column === null) return;
      const rows = someRows(column, randomFrom(each.seed + 3)).toArray();
      const { numberCount, stringCount } = column;
      const keyOf = (row: number): number => {
        const code = column.sortCode(row, descending);
        if (code === 0) return 0xffffffff;
        if (column.isNumberCode(code)) return descending ? numberCount - code : code - 1;
        const ordinal = column.stringOfCode(code);
        return numberCount + (descending ? stringCount - 1 - ordinal : ordinal);
      };
      const expected = Array.from(rows, (row, position) => [keyOf(row), position]).sort(
        (a, b) => a[0]! - b[0]! || a[1]! - b[1]!,
      );
      const found: number[][] = [];
      for (let low = 0, left = rows.length; ; ) {
        const { positions, keys, end } = column.scan.smallest(rows, descending, low, wanted);
        positions.forEach((position, i) => {
          found.push([keys[i]!, position]);
        });
        assert.ok(
          end === 0xffffffff || positions.length >= Math.min(wanted, left) || end === numberCount + stringCount,
        );
        left -= positions.length;
        if (end === 0xffffffff) break;
        assert.deepEqual(
          [...column.scan.positionsFrom(rows, descending, end)],
          expected.flatMap(([key, position]) => (key! >= end ? [position!] : [])).sort((a, b) => a - b),
        );
        low = end;
      }
      assert.deepEqual(found, expected);
    }),
  );
});
