/** Memory for answers: nobody's bytes are anybody else's, until the turn in which they were lent is over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { beginTurn, returnRoom, slabCopy, turnRoom } from "../../../src/engine/link/slabs.ts";

/** Some are longer than a slab is shared for, and together they are more than a turn has room for. */
const lengths = fc.array(fc.oneof(fc.nat(2000), fc.nat(100_000)), { maxLength: 40 });

test("copies stay what they were, whatever is copied and lent afterwards", () => {
  fc.assert(
    fc.property(lengths, (all) => {
      const copies = all.map((length, i) => {
        beginTurn();
        const lent = turnRoom(length).fill(i);
        const copy = slabCopy(lent);
        lent.fill(255);
        return copy;
      });
      copies.forEach((copy, i) => {
        assert.equal(copy.length, all[i]);
        assert.ok(copy.every((byte) => byte === i));
      });
    }),
    { numRuns: 40 },
  );
});

test("what is lent in one turn does not overlap", () => {
  fc.assert(
    fc.property(lengths, (all) => {
      beginTurn();
      const lent = all.map((length, i) => turnRoom(length).fill(i));
      lent.forEach((room, i) => {
        assert.equal(room.length, all[i]);
        assert.ok(room.every((byte) => byte === i));
      });
    }),
    { numRuns: 40 },
  );
});

test("what is given back is lent again, and nothing else", () => {
  beginTurn();
  const kept = turnRoom(1000).fill(1);
  const first = turnRoom(2000).fill(2);
  returnRoom(first);
  const second = turnRoom(2000);
  assert.deepEqual([second.buffer, second.byteOffset], [first.buffer, first.byteOffset]);
  const last = turnRoom(10).fill(3);
  returnRoom(second);
  returnRoom(slabCopy(last));
  turnRoom(100).fill(4);
  assert.ok(kept.every((byte) => byte === 1) && last.every((byte) => byte === 3));
});
