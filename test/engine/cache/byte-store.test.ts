/** Bytes by key in a ring: what is found is what was kept, what is asked for stays, and nothing takes more than its room. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteStore } from "../../../src/engine/cache/byte-store.ts";

const ROOM = 8000;
/** The longest that is kept has room in one of eight parts, beside its record and key. */
const LENGTH_MAX = ROOM / 8 - 320 - 2 * 2;

const keyOf = (i: number): string => String(i).padStart(2, "0");
const bytesOf = (i: number, length: number): Uint8Array => new Uint8Array(length).fill(i + 1);

test("what is found is what was kept by that key, first of all what was kept last", () => {
  const step = fc.record({
    i: fc.integer({ min: 0, max: 30 }),
    length: fc.integer({ min: 0, max: LENGTH_MAX + 50 }),
    asks: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const store = new ByteStore<number>(ROOM);
      const lengths = new Map<number, number>();
      for (const { i, length, asks } of steps) {
        const isThere = store.get(keyOf(i)) !== null;
        store.keep(keyOf(i), bytesOf(i, length), length);
        if (!isThere && length <= LENGTH_MAX) lengths.set(i, length);
        if (!isThere) assert.equal(store.get(keyOf(i)) !== null, length <= LENGTH_MAX);
        for (const asked of [i, ...asks]) {
          const found = store.get(keyOf(asked));
          if (found === null) continue;
          assert.equal(found.note, lengths.get(asked));
          assert.deepEqual(found.bytes, bytesOf(asked, found.note));
        }
        const there = [...lengths].filter(([other]) => store.get(keyOf(other)) !== null);
        assert.ok(there.reduce((sum, [, bytes]) => sum + bytes + 320, 0) <= ROOM);
      }
    }),
  );
});

test("what is asked for again and again stays, what is not goes", () => {
  const store = new ByteStore<null>(ROOM);
  for (let i = 0; i < 99; i++) {
    store.keep(keyOf(i), bytesOf(i, 300), null);
    for (const asked of [0, 1]) assert.equal(store.get(keyOf(asked)) !== null, asked <= i, `${asked} after ${i}`);
  }
  assert.equal(store.get(keyOf(50)), null);
  assert.deepEqual(store.get(keyOf(0))!.bytes, bytesOf(0, 300));
});

test("without room nothing is kept", () => {
  const store = new ByteStore<null>(0);
  store.keep("a", bytesOf(1, 0), null);
  assert.equal(store.get("a"), null);
});
