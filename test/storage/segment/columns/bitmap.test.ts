/** Row sets behave like sets of numbers, in memory and as bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Bitmap, decodeBitmap, encodeBitmap } from "../../../../src/storage/segment/bitmap.ts";

const rowsAndSets = fc
  .integer({ min: 0, max: 200 })
  .chain((rows) =>
    fc.tuple(
      fc.constant(rows),
      fc.uniqueArray(fc.integer({ min: 0, max: Math.max(0, rows - 1) }), { maxLength: rows }),
      fc.uniqueArray(fc.integer({ min: 0, max: Math.max(0, rows - 1) }), { maxLength: rows }),
    ),
  );

const ascending = (rows: Iterable<number>): number[] => [...rows].sort((a, b) => a - b);

test("set operations agree with sets of numbers", () => {
  fc.assert(
    fc.property(rowsAndSets, ([rows, left, right]) => {
      const a = new Set(left);
      const b = new Set(right);
      const x = Bitmap.of(rows, a);
      const y = Bitmap.of(rows, b);
      const all = Array.from({ length: rows }, (_, row) => row);
      const same = (map: Bitmap, expected: Iterable<number>): void =>
        assert.deepEqual([...map.toArray()], ascending(expected));
      same(
        x.and(y),
        [...a].filter((row) => b.has(row)),
      );
      same(x.or(y), new Set([...a, ...b]));
      same(
        x.andNot(y),
        [...a].filter((row) => !b.has(row)),
      );
      same(
        x.not(),
        all.filter((row) => !a.has(row)),
      );
      same(x, a);
      assert.equal(x.count(), a.size);
      assert.equal(x.isEmpty(), a.size === 0);
      assert.equal(x.equals(Bitmap.of(rows, left.toReversed())), true);
      assert.equal(x.first(), a.size === 0 ? -1 : Math.min(...a));
      for (const row of all) {
        assert.equal(x.has(row), a.has(row));
        assert.equal(x.next(row), ascending(a).find((member) => member >= row) ?? -1);
        assert.equal(x.rank(row), [...a].filter((member) => member < row).length);
      }
      const visited: number[] = [];
      x.forEach((row) => {
        visited.push(row);
      });
      assert.deepEqual(visited, ascending(a));
    }),
  );
});

test("in-place operations change only their own set", () => {
  const x = Bitmap.of(70, [1, 40, 69]);
  const y = Bitmap.of(70, [40, 2]);
  assert.deepEqual([...x.copy().andWith(y).toArray()], [40]);
  assert.deepEqual([...x.copy().orWith(y).toArray()], [1, 2, 40, 69]);
  assert.deepEqual([...x.copy().andNotWith(y).toArray()], [1, 69]);
  assert.equal(x.copy().invert().count(), 67);
  assert.deepEqual([...x.toArray()], [1, 40, 69]);
  x.clear(40);
  assert.equal(x.has(40), false);
});

test("a range of rows is set at once", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 130 }), fc.integer({ min: 0, max: 130 }), (from, to) => {
      const map = Bitmap.create(130);
      map.setRange(from, to);
      const expected = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
      assert.deepEqual([...map.toArray()], expected);
    }),
  );
});

test("full sets have no bits beyond the rows", () => {
  for (const rows of [0, 1, 31, 32, 33, 64, 100]) {
    assert.equal(Bitmap.full(rows).count(), rows);
    assert.equal(Bitmap.full(rows).not().count(), 0);
  }
});

test("bytes give the same set back", () => {
  fc.assert(
    fc.property(rowsAndSets, ([rows, members]) => {
      const map = Bitmap.of(rows, members);
      assert.equal(decodeBitmap(encodeBitmap(map), rows).equals(map), true);
    }),
  );
});

test("bytes stay small for few, nearly all and half of the rows", () => {
  const rows = 100_000;
  const few = Bitmap.of(rows, [5, 99_999]);
  assert.ok(encodeBitmap(few).length < 8);
  assert.ok(encodeBitmap(few.not()).length < 8);
  assert.equal(encodeBitmap(Bitmap.full(rows)).length, 1);
  const half = Bitmap.create(rows);
  for (let row = 0; row < rows; row += 2) half.set(row);
  assert.ok(encodeBitmap(half).length <= rows / 8 + 8);
});

test("bytes that are no row set are refused", () => {
  assert.throws(() => decodeBitmap(new Uint8Array([9]), 10), RangeError);
  assert.throws(() => decodeBitmap(new Uint8Array([0, 50]), 10), RangeError);
  assert.throws(() => decodeBitmap(new Uint8Array([0, 200]), 10), RangeError);
  assert.throws(() => decodeBitmap(new Uint8Array([2, 0]), 10), RangeError);
});
