import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Change } from "../../../src/storage/store/environment.ts";
import { TABLES } from "../../../src/storage/store/tables.ts";
import { decodeTransaction, encodeTransaction, NOTHING_BEFORE } from "../../../src/storage/store/transaction.ts";

const changes = fc.array(
  fc.integer({ min: 0, max: TABLES.length - 1 }).chain((table): fc.Arbitrary<Change> => {
    const key = TABLES[table]![1] === "uint32" ? fc.nat(0xffffffff) : fc.string({ minLength: 1, unit: "grapheme" });
    const value = fc.option(fc.uint8Array({ maxLength: 200 }));
    return fc.record({ table: fc.constant(table), key, value });
  }),
  { maxLength: 30 },
);
const id = fc.uint8Array({ minLength: 16, maxLength: 16 });
const plain = (list: readonly Change[]) =>
  list.map(({ table, key, value }) => [table, key, value === null ? null : [...value]]);

test("transactions come back as they were", () => {
  fc.assert(
    fc.property(changes, id, id, (list, own, before) => {
      const decoded = decodeTransaction(encodeTransaction({ before, id: own, changes: list }));
      assert.deepEqual(plain(decoded.changes), plain(list));
      assert.deepEqual([...decoded.id, ...decoded.before], [...own, ...before]);
    }),
  );
});

test("a record with a bit flipped, cut off, or of a later format is refused", () => {
  fc.assert(
    fc.property(changes, id, fc.nat(), fc.nat(7), fc.nat(), (list, own, place, bit, cut) => {
      const record = encodeTransaction({ before: NOTHING_BEFORE, id: own, changes: list });
      assert.throws(() => decodeTransaction(record.subarray(0, cut % record.length)), /record/);
      record[place % record.length]! ^= 1 << bit;
      assert.throws(() => decodeTransaction(record), /record/);
    }),
  );
});
