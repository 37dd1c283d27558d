import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextMerge } from "../../../src/engine/writer/merge-policy.ts";

const KB = 1024;
const whole = (bytes: number) => ({ rows: 100, liveRows: 100, bytes });

test("a few segments of a size stay, many are merged", () => {
  assert.equal(nextMerge([whole(10 * KB), whole(10 * KB), whole(50_000 * KB)]), null);
  assert.deepEqual(nextMerge(Array.from({ length: 6 }, () => whole(10 * KB))), [0, 1, 2, 3, 4, 5]);
});

test("when nothing else is to be done two of a size are merged, unless they are tiny", () => {
  const large = [whole(5_000 * KB), whole(6_000 * KB), whole(10 * KB), whole(11 * KB)];
  assert.equal(nextMerge(large), null);
  assert.deepEqual(nextMerge(large, true), [0, 1]);
  assert.equal(nextMerge([whole(10 * KB), whole(11 * KB)], true), null);
});

test("a segment that is mostly deleted is rewritten, an empty one dropped", () => {
  assert.deepEqual(nextMerge([whole(10 * KB), { rows: 1000, liveRows: 500, bytes: 9000 * KB }]), [1]);
  assert.deepEqual(nextMerge([whole(10 * KB), { rows: 10, liveRows: 0, bytes: KB }]), [1]);
});

test("adding one small segment at a time keeps their number logarithmic and every byte is rewritten a few times", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), (additions) => {
      let segments: { rows: number; liveRows: number; bytes: number }[] = [];
      let rewritten = 0;
      for (let i = 0; i < additions; i++) {
        segments.push(whole(100 * KB));
        for (let merge = nextMerge(segments); merge !== null; merge = nextMerge(segments)) {
          const chosen = new Set(merge);
          const bytes = merge.reduce((sum, at) => sum + segments[at]!.bytes, 0);
          rewritten += bytes;
          segments = segments.filter((_, at) => !chosen.has(at));
          segments.push(whole(bytes));
        }
      }
      assert.ok(segments.length <= 30, `${segments.length} segments`);
      assert.ok(rewritten <= additions * 100 * KB * 8);
    }),
  );
});
