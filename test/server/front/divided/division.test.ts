/** Which shards are asked for together, and of whom. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Member } from "../../../../src/server/front/cluster-view.ts";
import { ShardDivision } from "../../../../src/server/front/divided/division.ts";

const member = (name: string): Member => ({ name }) as Member;

test("shards with the same holders are one part, and what is here is asked here", () => {
  const holders = [
    ["two", "three"],
    ["one", "two"],
    ["three", "two"],
    ["two", "one"],
    ["three", "one"],
  ];
  const division = new ShardDivision({
    name: "one",
    askable: {
      byShard: (id) => (id === 4 ? holders : []),
      holdersOf: (_id, shard) => [...holders[shard]!.filter((name) => name !== "one"), "leader"].map(member),
    },
  });
  const groups = division.groupsOf("4").map(({ holders: asked, names, shards }) => {
    return { shards, names, asked: asked.map((holder) => holder?.name ?? null) };
  });
  assert.deepEqual(groups, [
    { shards: [0, 2], names: ["two", "three"], asked: ["two", "three", "leader"] },
    { shards: [1, 3], names: ["one", "two"], asked: [null, "two", "leader"] },
    { shards: [4], names: ["three", "one"], asked: [null, "three", "leader"] },
  ]);
});
