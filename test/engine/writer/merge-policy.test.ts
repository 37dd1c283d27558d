import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  groupsToCompact,
  nextMerge as next,
  nextLargeMerge,
  type SegmentSize,
} from "../../../src/engine/writer/merge-policy.ts";

const KB = 1024;
const whole = (bytes: number): SegmentSize => ({ rows: 100, liveRows: 100, bytes, hotBytes: bytes / 2 });
const nextMerge = (segments: readonly SegmentSize[], atLeisure = false) => next(segments, atLeisure, 2 ** 31);

test("a few segments of a size stay, many are merged", () => {
  assert.equal(nextMerge([whole(10 * KB), whole(10 * KB), whole(50_000 * KB)]), null);
  assert.deepEqual(nextMerge(Array.from({ length: 6 }, () => whole(10 * KB))), [0, 1, 2, 3, 4, 5]);
});

test("when nothing else is to be done all are merged at once, but for tiny ones and what is much larger", () => {
  const large = [whole(5_000 * KB), whole(6_000 * KB), whole(20_000 * KB), whole(10 * KB), whole(11 * KB)];
  assert.equal(nextMerge(large), null);
  assert.deepEqual(nextMerge(large, true), [0, 1, 2]);
  assert.deepEqual(nextMerge([...large, whole(200_000 * KB)], true), [0, 1, 2]);
  assert.equal(nextMerge([whole(300 * KB), whole(31_000 * KB), whole(200_000 * KB)], true), null);
  assert.deepEqual(nextMerge([whole(300 * KB), whole(31_000 * KB), whole(40_000 * KB)], true), [1, 2]);
  assert.equal(nextMerge([whole(10 * KB), whole(11 * KB)], true), null);
});

test("while there is more to index, only many large ones of a size are merged", () => {
  const small = Array.from({ length: 9 }, () => whole(500 * KB));
  const large = Array.from({ length: 5 }, () => whole(20_000 * KB));
  assert.equal(nextLargeMerge(small, 2 ** 31), null);
  assert.equal(nextLargeMerge([...small, ...large.slice(1)], 2 ** 31), null);
  assert.deepEqual(nextLargeMerge([...small, ...large], 2 ** 31), [9, 10, 11, 12, 13]);
  assert.equal(nextLargeMerge([{ ...large[0]!, rows: 10, liveRows: 0 }], 2 ** 31), null);
});

test("no merge grows beyond half a gigabyte", () => {
  const many = Array.from({ length: 4 }, () => whole(200 * KB * KB));
  assert.deepEqual(nextMerge(many, true), [0, 1]);
  assert.equal(nextMerge([whole(300 * KB * KB), whole(400 * KB * KB)], true), null);
});

test("a segment that is mostly deleted is rewritten, an empty one dropped", () => {
  assert.deepEqual(nextMerge([whole(10 * KB), { ...whole(9000 * KB), rows: 1000, liveRows: 500 }]), [1]);
  assert.deepEqual(nextMerge([whole(10 * KB), { ...whole(KB), rows: 10, liveRows: 0 }]), [1]);
});

test("no merge has more in its memory than it may, however little of it is alive", () => {
  const dying = { ...whole(900 * KB), rows: 1000, liveRows: 100 };
  const many = Array.from({ length: 8 }, () => dying);
  assert.deepEqual(next(many, false, 3 * dying.hotBytes), [0, 1, 2]);
  assert.deepEqual(next(many, true, 2 * dying.hotBytes), [0, 1]);
  assert.deepEqual(next(many, true, dying.hotBytes), [0]);
  assert.equal(next(many, true, dying.hotBytes - 1), null);
});

test("all are compacted in as few groups as their memory allows; what is too large alone is left out", () => {
  const sizes = [5, 30, 10, 20, 15, 50].map((size) => whole(size * KB));
  assert.deepEqual(groupsToCompact(sizes, 100 * KB), [[0, 1, 2, 3, 4, 5]]);
  assert.deepEqual(groupsToCompact(sizes, 20 * KB), [
    [1, 2],
    [0, 3, 4],
  ]);
  assert.deepEqual(groupsToCompact(sizes, KB), []);
});

for (const atLeisure of [false, true]) {
  const when = atLeisure ? "when nothing else is to be done" : "while tasks wait";
  test(`adding one small segment at a time keeps their number low and every byte is rewritten a few times ${when}`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 50, max: 400 }), (additions, size) => {
        let segments: SegmentSize[] = [];
        let rewritten = 0;
        for (let i = 0; i < additions; i++) {
          segments.push(whole(size * KB));
          for (let merge = nextMerge(segments, atLeisure); merge !== null; merge = nextMerge(segments, atLeisure)) {
            const chosen = new Set(merge);
            const bytes = merge.reduce((sum, at) => sum + segments[at]!.bytes, 0);
            rewritten += bytes;
            segments = segments.filter((_, at) => !chosen.has(at));
            segments.push(whole(bytes));
          }
        }
        assert.ok(segments.length <= (atLeisure ? 12 : 30), `${segments.length} segments`);
        assert.ok(
          rewritten <= additions * size * KB * (atLeisure ? 16 : 8),
          `${rewritten / additions / size / KB} times`,
        );
      }),
    );
  });
}
