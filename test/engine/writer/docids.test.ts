import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DocidSet } from "../../../src/engine/writer/docids.ts";

test("free numbers come smallest first and ignore what the batch frees", () => {
  const set = new DocidSet();
  for (const docid of [0, 1, 3, 4, 7]) set.add(docid);
  const free = set.free();
  assert.deepEqual([free.take(), free.take()], [2, 5]);
  set.delete(0);
  assert.deepEqual([free.take(), free.take(), free.take()], [6, 8, 9]);
  assert.equal(set.free().take(), 0);
});

test("free numbers are the complement of the taken ones", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(5000)), (taken) => {
      const set = new DocidSet();
      for (const docid of taken) set.add(docid);
      const free = set.free();
      const got = Array.from({ length: 200 }, () => free.take());
      const expected: number[] = [];
      for (let docid = 0; expected.length < 200; docid++) if (!taken.includes(docid)) expected.push(docid);
      assert.deepEqual(got, expected);
      assert.equal(set.size, taken.length);
    }),
  );
});
