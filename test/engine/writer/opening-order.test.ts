import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { emptyManifest } from "../../../src/engine/writer/index-state.ts";
import type { KnownIndex } from "../../../src/engine/writer/indexes.ts";
import { OpeningOrder } from "../../../src/engine/writer/opening-order.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

const MIB = 1 << 20;

function index(uid: string, mib: number): KnownIndex {
  return { uid, manifest: emptyManifest("0", defaultSettings(), 0), bytes: mib * MIB, problem: null };
}

function uids(group: readonly KnownIndex[] | null): string[] | null {
  return group === null ? null : group.map(({ uid }) => uid);
}

test("the smallest are opened first, several at a time as long as that is quick", () => {
  const order = new OpeningOrder([index("large", 300), index("a", 7), index("b", 8), index("c", 9)]);
  assert.deepEqual(uids(order.next()), ["a", "b"]);
  assert.deepEqual(uids(order.next()), ["c"]);
  assert.deepEqual(uids(order.next()), ["large"]);
  assert.equal(order.next(), null);
});

test("what somebody waits for comes before what nobody does", () => {
  const order = new OpeningOrder([index("a", 7), index("b", 20), index("c", 30), index("d", 300)]);
  for (const uid of ["d", "missing", "c"]) order.want(uid);
  assert.deepEqual(uids(order.next()), ["c"]);
  order.want("b");
  assert.deepEqual(uids(order.next()), ["b"], "of two that are waited for the smaller one");
  assert.deepEqual(uids(order.next()), ["d"]);
  assert.deepEqual(uids(order.next()), ["a"]);
  order.want("a");
  assert.equal(order.next(), null, "nothing is opened twice");
});

test("what takes long to read is not put before others", () => {
  const order = new OpeningOrder([index("huge", 4000), index("small", 7), index("other", 90)]);
  order.want("huge");
  assert.deepEqual(uids(order.next()), ["small"]);
  order.want("other");
  assert.deepEqual(uids(order.next()), ["other"]);
  assert.deepEqual(uids(order.next()), ["huge"]);
});

test("each is opened once, whatever is waited for and when", () => {
  const step = fc.option(fc.nat(11), { nil: null });
  fc.assert(
    fc.property(fc.array(fc.nat(700), { maxLength: 10 }), fc.array(step), (sizes, steps) => {
      const all = sizes.map((mib, i) => index(`${i}`, mib));
      const order = new OpeningOrder(all);
      const opened: KnownIndex[] = [];
      for (const wanted of steps) {
        if (wanted === null) opened.push(...(order.next() ?? []));
        else order.want(`${wanted}`);
      }
      for (let group = order.next(); group !== null; group = order.next()) opened.push(...group);
      assert.equal(opened.length, all.length);
      assert.deepEqual(new Set(opened), new Set(all));
    }),
  );
});
