import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { idsOf } from "../../../src/base/document/id-list.ts";
import {
  indexOfPiece,
  pieceOf,
  placesByShard,
  SHARDS_MAX,
  shardOf,
  shardOfPiece,
} from "../../../src/storage/index/shards.ts";

function shardOfId(id: string, shards: number): number {
  const bytes = Buffer.from(`<${id}>`);
  return shardOf(bytes, 1, bytes.length - 1, shards);
}

test("the shard of a document is the one it has in stored indexes", () => {
  const ids = ["0", "1", "42", "1000000", "name-1", "Å"];
  const of = (shards: number): number[] => ids.map((id) => shardOfId(id, shards));
  assert.deepEqual(of(1), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(of(7), [3, 2, 2, 6, 4, 5]);
  assert.deepEqual(of(64), [33, 15, 61, 20, 2, 48]);
});

test("documents are spread evenly, also where their ids are numbers that follow each other", () => {
  for (const shards of [2, 3, 16, SHARDS_MAX]) {
    const counts = new Array<number>(shards).fill(0);
    const documents = shards * 2000;
    for (let id = 0; id < documents; id++) counts[shardOfId(`${id}`, shards)]!++;
    for (const count of counts) assert.ok(count > 1700 && count < 2300, `${shards}: ${counts.join()}`);
  }
});

test("entries are told apart by their shards, each list in order", () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,6}$/), { maxLength: 60 });
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: SHARDS_MAX }), (names, shards) => {
      const entries = Uint32Array.from(names.keys()).filter((entry) => entry % 3 !== 0);
      const lists = placesByShard(idsOf(names), entries, shards);
      assert.equal(lists.length, shards);
      for (const [shard, places] of lists.entries()) {
        assert.deepEqual(
          [...places],
          [...places].sort((a, b) => a - b),
        );
        for (const place of places) assert.equal(shardOfId(names[entries[place]!]!, shards), shard);
      }
      assert.equal(
        lists.reduce((sum, { length }) => sum + length, 0),
        entries.length,
      );
    }),
  );
});

test("a piece is one shard of one index", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(SHARDS_MAX - 1), (index, shard) => {
      const piece = pieceOf(index, shard);
      assert.deepEqual([indexOfPiece(piece), shardOfPiece(piece)], [index, shard]);
    }),
  );
});
