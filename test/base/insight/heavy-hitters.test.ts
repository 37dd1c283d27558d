import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { HeavyHitters, mergedHitters } from "../../../src/base/insight/heavy-hitters.ts";

/** Streams in which a few texts come often and many come once. */
const streams = fc.array(fc.oneof(fc.nat(5), fc.nat(60)).map(String), { maxLength: 400 });

function exactly(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function sketched(texts: readonly string[], places: number): HeavyHitters {
  const sketch = new HeavyHitters(places);
  for (const text of texts) sketch.add(text, 1).sums[0]! += 2;
  return sketch;
}

describe("the most frequent texts", () => {
  it("are all there, with counts that are never too small and too large by no more than their error", () => {
    fc.assert(
      fc.property(streams, fc.integer({ min: 1, max: 20 }), (texts, places) => {
        const sketch = sketched(texts, places);
        const exact = exactly(texts);
        const bound = texts.length / places;
        assert.ok(sketch.size <= places);
        for (const [text, count] of exact) {
          const hitter = sketch.get(text);
          if (count > bound) assert.ok(hitter !== undefined, `${text} came ${count} times of ${texts.length}`);
          if (hitter === undefined) assert.ok(count <= sketch.unseen);
        }
        for (const { key, count, error, sums } of sketch.all()) {
          const truth = exact.get(key)!;
          assert.ok(truth <= count && count - error <= truth, `${key}: ${count} - ${error}, but ${truth}`);
          assert.ok(error <= bound);
          assert.equal(sums[0], 2 * (count - error), "sums are of what was seen");
        }
        const total = sketch.all().reduce((sum, { count }) => sum + count, 0);
        assert.equal(total, texts.length);
      }),
    );
  });

  it("are exact as long as there is room", () => {
    fc.assert(
      fc.property(streams, (texts) => {
        const merged = mergedHitters([sketched(texts, 100)]);
        assert.deepEqual(new Map(merged.map(({ key, count }) => [key, count])), exactly(texts));
        for (const [i, { count, error }] of merged.entries()) {
          assert.equal(error, 0);
          assert.ok(i === 0 || merged[i - 1]!.count >= count, "most first");
        }
      }),
    );
  });

  it("of several days keep what they promise", () => {
    fc.assert(
      fc.property(fc.array(streams, { maxLength: 4 }), fc.integer({ min: 1, max: 20 }), (days, places) => {
        const exact = exactly(days.flat());
        const merged = mergedHitters(days.map((texts) => sketched(texts, places)));
        const keys = new Set(merged.map(({ key }) => key));
        for (const { key, count, error } of merged) {
          const truth = exact.get(key)!;
          assert.ok(truth <= count && count - error <= truth, `${key}: ${count} - ${error}, but ${truth}`);
        }
        for (const [key, count] of exact) if (count > days.flat().length / places) assert.ok(keys.has(key));
      }),
    );
  });

  it("take no more memory than their places", () => {
    const sketch = new HeavyHitters(64);
    for (let i = 0; i < 100_000; i++) sketch.add(`query ${i % 7 === 0 ? "often" : i}`, 0);
    assert.equal(sketch.size, 64);
    assert.ok(sketch.bytes < 64 * 250, String(sketch.bytes));
    assert.ok(sketch.get("query often")!.count >= 100_000 / 7);
  });
});
