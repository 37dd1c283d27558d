import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ChangeOrder } from "../../../src/storage/tasks/change-order.ts";

test("whoever follows from any place that is remembered learns of every uid that changed since, the last time it did", () => {
  const size = 16;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 100 }), fc.nat(100), (uids, offset) => {
      const order = new ChangeOrder(size);
      for (const uid of uids) order.add(uid);
      assert.equal(order.end, uids.length);
      assert.equal(order.begin, Math.max(0, uids.length - size));
      const from = Math.min(order.end, order.begin + offset);
      const told = [];
      for (let change = from; change < order.end; change++) told.push(order.uidOf(change));
      // All that changed are told, in the order of their last changes; one that collides with another may come earlier, too.
      const expected = [...new Set(uids.slice(from).reverse())].reverse();
      const last = [...new Set(told.filter((uid) => uid !== null).reverse())].reverse();
      assert.deepEqual(last, expected);
    }),
  );
});

test("of uids that lie together each is told once", () => {
  const order = new ChangeOrder(16);
  for (const uid of [7, 8, 7, 9, 8, 7]) order.add(uid);
  const told = Array.from({ length: 6 }, (_, change) => order.uidOf(change));
  assert.deepEqual(told, [null, null, null, 9, 8, 7]);
});

test("a size that is no power of two is refused", () => {
  for (const size of [0, 3, 100]) assert.throws(() => new ChangeOrder(size), /power of two/);
});
