import assert from "node:assert/strict";
import { test } from "node:test";
import { FilterCache, type Selection } from "../../../src/engine/filter/filter-cache.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";

/** A filter is kept when it comes for the second time. */
function keepTwice(kept: FilterCache, text: string, rows: Bitmap[]): void {
  for (let i = 0; i < 2; i++) kept.keep(text, { rows, equalities: [] });
}

test("what a filter left is found again once it came twice, in the same state of the index only", () => {
  const state = {};
  const selection: Selection = { rows: [Bitmap.of(100, [3, 7])], equalities: [] };
  FilterCache.of(state).keep("a = 1", selection);
  assert.equal(FilterCache.of(state).find("a = 1"), null);
  assert.equal(FilterCache.nameOf(selection.rows), null);
  FilterCache.of(state).keep("a = 1", selection);
  assert.notEqual(FilterCache.nameOf(selection.rows), null);
  assert.equal(FilterCache.of(state).find("a = 1"), selection);
  assert.equal(FilterCache.of(state).find("a = 2"), null);
  assert.equal(FilterCache.of({}).find("a = 1"), null);
});

test("the filter that was not asked for longest makes room, and sets that are too large are not kept", () => {
  const kept = FilterCache.of({});
  for (let i = 0; i < 256; i++) keepTwice(kept, `a = ${i}`, [Bitmap.create(8)]);
  assert.notEqual(kept.find("a = 0"), null);
  keepTwice(kept, "a = 256", [Bitmap.create(8)]);
  assert.equal(kept.find("a = 1"), null);
  assert.notEqual(kept.find("a = 0"), null);
  const large = FilterCache.of({});
  keepTwice(large, "a = 1", [Bitmap.create(5 * 1024 * 1024 * 8)]);
  assert.equal(large.find("a = 1"), null);
  keepTwice(large, "a".repeat(5000), [Bitmap.create(8)]);
  assert.equal(large.find("a".repeat(5000)), null);
});
