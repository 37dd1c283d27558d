import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { partFirst } from "../../../src/engine/rank/first-of.ts";

test("the first are those of a whole sort, the rest is all the others", () => {
  const entries = fc.array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.nat()), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(entries, fc.nat(), (list, wanted) => {
      const keys = Float64Array.from(list, ([key]) => key);
      // Ids are never the same twice.
      const ids = Uint32Array.from(list, ([, id], i) => (id % 1000) * 1000 + i);
      const positions = list.map((_, i) => i).filter((i) => i === 0 || ids[i]! % 3 > 0);
      const count = 1 + (wanted % positions.length);
      const sorted = positions.toSorted((a, b) => keys[a]! - keys[b]! || ids[a]! - ids[b]!);
      const { first, rest } = partFirst(positions, keys, ids, count);
      assert.deepEqual(first, sorted.slice(0, count));
      assert.deepEqual(
        rest.sort((a, b) => a - b),
        sorted.slice(count).sort((a, b) => a - b),
      );
    }),
  );
});
