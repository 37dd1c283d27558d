import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { emptyManifest } from "../../../src/engine/writer/index-state.ts";
import { Holdings } from "../../../src/server/cluster/holdings.ts";
import { Placement } from "../../../src/server/cluster/placement.ts";
import { decodeManifest, encodeManifest } from "../../../src/storage/index/manifest.ts";
import { indexOfPiece, pieceOf } from "../../../src/storage/index/shards.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

const MINUTE_MS = 60_000;

test("all agree on who holds an index, and whoever comes or goes moves only its own", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 4 }), fc.nat(1000), fc.nat(63), (all, copies, id, shard) => {
      const [gone, ...left] = all as [string, ...string[]];
      const views = all.map((self) => new Placement(self, copies));
      for (const view of views) view.heard(all, 0);
      const holders = views[0]!.holdersOf(id, shard);
      assert.equal(new Set(holders).size, Math.min(copies, all.length));
      for (const [i, view] of views.entries()) {
        assert.deepEqual(view.holdersOf(id, shard), holders);
        assert.equal(view.isHere(id, shard), holders.includes(all[i]!));
      }
      const after = views[1]!;
      assert.equal(after.heard(left, MINUTE_MS - 1), false);
      assert.equal(after.heard(left, MINUTE_MS), true);
      const kept = holders.filter((name) => name !== gone);
      assert.deepEqual(after.holdersOf(id, shard).slice(0, kept.length), kept);
    }),
  );
});

test("indexes and shards are spread evenly", () => {
  const names = ["a", "b", "c", "d"];
  const placement = new Placement("a", 2);
  placement.heard(names, 0);
  const counts = new Map(names.map((name) => [name, 0]));
  for (let id = 0; id < 1000; id++) {
    for (const shard of [0, 1, 2, 3]) {
      for (const name of placement.holdersOf(id, shard)) counts.set(name, counts.get(name)! + 1);
    }
  }
  for (const count of counts.values()) assert.ok(count > 1800 && count < 2200, JSON.stringify([...counts]));
});

/** Indexes of which the last two are divided, as this server holds them; `leads` and who else is there can be changed. */
function someHoldings() {
  const placement = new Placement("a", 1);
  const shardsOf = new Map(Array.from({ length: 8 }, (_, id) => [id, id < 6 ? 1 : 5]));
  const manifests = new Map(
    [...shardsOf].map(([id, shards]) => [id, encodeManifest(emptyManifest(`${id}`, defaultSettings(), 0, shards))]),
  );
  const pieces = [...shardsOf].flatMap(([id, shards]) =>
    Array.from({ length: shards }, (_, shard) => ({ piece: pieceOf(id, shard), id, shard })),
  );
  const world = { leads: false, brought: [] as number[], told: [] as number[][] };
  const holdings = new Holdings({
    placement,
    files: {
      bringShard: async (manifest, shard) =>
        void world.brought.push(pieceOf(Number(decodeManifest(manifest).id), shard)),
    },
    store: () => ({ refresh: () => {}, shared: { idle: async () => {} }, manifests }) as never,
    leads: () => world.leads,
    tell: (elsewhere) => world.told.push(elsewhere),
    onTrouble: (problem) => assert.fail(problem),
  });
  const elsewhere = (): number[] =>
    pieces.flatMap(({ id, shard, piece }) => (placement.isHere(id, shard) ? [] : [piece]));
  return { placement, holdings, world, pieces: pieces.map(({ piece }) => piece), elsewhere };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 200; i++) await Promise.resolve();
};

test("what is to be here is brought before it is told, what is not stays for a while, and who leads has all", async () => {
  const { placement, holdings, world, pieces, elsewhere } = someHoldings();
  const { brought, told } = world;
  placement.heard(["b"], 0);
  const atB = elsewhere();
  assert.ok(atB.length > 0 && atB.length < pieces.length);
  const ofDivided = atB.filter((piece) => indexOfPiece(piece) === 7);
  assert.ok(ofDivided.length > 0 && ofDivided.length < 5, "some shards of an index are here");
  assert.deepEqual(holdings.elsewhere([7]), ofDivided);
  assert.deepEqual(holdings.elsewhere(), atB);
  // The other one is gone: its shards come here, one by one.
  placement.heard([], MINUTE_MS);
  assert.deepEqual(holdings.elsewhere(), atB);
  holdings.arrange(MINUTE_MS);
  assert.ok(
    atB.every((piece) => holdings.wants(piece) === (piece === atB[0])),
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
  world.leads = true;
  assert.deepEqual(holdings.elsewhere(), []);
  await holdings.takeAll();
  assert.deepEqual(brought, atB);
});

test("after a restart what is here stays, and nothing is brought for those who are not back yet", async () => {
  const { placement, holdings, world, pieces, elsewhere } = someHoldings();
  placement.heard(["b"], 0);
  const atB = elsewhere();
  const alone = someHoldings();
  alone.holdings.resume(new Map(pieces.map((piece) => [piece, !atB.includes(piece)])), 0);
  alone.holdings.heard([], 0);
  alone.holdings.arrange(MINUTE_MS - 1);
  await turns();
  assert.deepEqual(alone.holdings.elsewhere(), atB);
  assert.deepEqual(alone.world.brought, []);
  // The other one is not back within a minute.
  alone.holdings.arrange(MINUTE_MS);
  await turns();
  assert.deepEqual(alone.world.brought, atB);
  // What was not decided before a restart is decided as ever.
  holdings.resume(new Map(), 0);
  assert.deepEqual(holdings.elsewhere(), atB);
  assert.deepEqual(world.brought, []);
});
