import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Holdings } from "../../../src/server/cluster/holdings.ts";
import { Placement } from "../../../src/server/cluster/placement.ts";

const MINUTE_MS = 60_000;

test("all agree on who holds an index, and whoever comes or goes moves only its own", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 4 }), fc.nat(1000), (all, copies, id) => {
      const [gone, ...left] = all as [string, ...string[]];
      const views = all.map((self) => new Placement(self, copies));
      for (const view of views) view.heard(all, 0);
      const holders = views[0]!.holders(id);
      assert.equal(new Set(holders).size, Math.min(copies, all.length));
      for (const [i, view] of views.entries()) {
        assert.deepEqual(view.holders(id), holders);
        assert.equal(view.isHere(id), holders.includes(all[i]!));
      }
      const after = views[1]!;
      assert.equal(after.heard(left, MINUTE_MS - 1), false);
      assert.equal(after.heard(left, MINUTE_MS), true);
      const kept = holders.filter((name) => name !== gone);
      assert.deepEqual(after.holders(id).slice(0, kept.length), kept);
    }),
  );
});

test("indexes are spread evenly", () => {
  const names = ["a", "b", "c", "d"];
  const placement = new Placement("a", 2);
  placement.heard(names, 0);
  const counts = new Map(names.map((name) => [name, 0]));
  for (let id = 0; id < 4000; id++) for (const name of placement.holders(id)) counts.set(name, counts.get(name)! + 1);
  for (const count of counts.values()) assert.ok(count > 1800 && count < 2200, JSON.stringify([...counts]));
});

test("what is to be here is brought before it is told, what is not stays for a while, and who leads has all", async () => {
  const placement = new Placement("a", 1);
  placement.heard(["b"], 0);
  const ids = Array.from({ length: 8 }, (_, id) => id);
  const brought: number[] = [];
  const told: number[][] = [];
  let leads = false;
  const holdings = new Holdings({
    placement,
    files: { bringIndex: async (manifest) => void brought.push(manifest[0]!) },
    store: () =>
      ({
        refresh: () => {},
        shared: { idle: async () => {} },
        manifests: { keys: () => ids.values(), get: (id: number) => Uint8Array.of(id) },
      }) as never,
    leads: () => leads,
    tell: (elsewhere) => told.push(elsewhere),
    onTrouble: (problem) => assert.fail(problem),
  });
  const atB = ids.filter((id) => !placement.isHere(id));
  assert.ok(atB.length > 0 && atB.length < 8);
  assert.deepEqual(holdings.elsewhere(), atB);
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) await Promise.resolve();
  };
  // The other one is gone: its indexes come here, one by one.
  placement.heard([], MINUTE_MS);
  assert.deepEqual(holdings.elsewhere(), atB);
  holdings.arrange(MINUTE_MS);
  assert.ok(
    atB.every((id) => holdings.wants(id) === (id === atB[0])),
    "no change is missed while files come",
  );
  await turns();
  assert.deepEqual(brought, atB);
  assert.deepEqual(told.at(-1), []);
  // It is back: they go, but not at once.
  placement.heard(["b"], MINUTE_MS);
  holdings.arrange(MINUTE_MS);
  await turns();
  assert.deepEqual(holdings.elsewhere(), []);
  holdings.arrange(2 * MINUTE_MS);
  await turns();
  assert.deepEqual(told.at(-1), atB);
  assert.deepEqual(holdings.elsewhere(), atB);
  brought.length = 0;
  leads = true;
  assert.deepEqual(holdings.elsewhere(), []);
  await holdings.takeAll();
  assert.deepEqual(brought, atB);
});
