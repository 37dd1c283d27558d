import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { decodeSearches, encodeSearches, type SharedSearchBytes } from "../../../src/engine/link/shared-searches.ts";

const bytes = fc.uint8Array({ maxLength: 50 });

test("searches for several servers survive the way as bytes", () => {
  const search = fc
    .tuple(
      fc.string({ unit: "grapheme" }),
      fc.array(fc.tuple(fc.string({ unit: "grapheme" }), bytes)),
      bytes,
      fc.option(bytes),
    )
    .map(([indexUid, asks, own, plan]) => ({
      indexUid,
      path: `/${indexUid}`,
      asks: asks.map(([remote, body]) => ({ remote, body })),
      own,
      plan,
    }));
  fc.assert(
    fc.property(fc.array(search), (searches) => {
      assert.deepEqual([...decodeSearches(encodeSearches(searches))].map(asArrays), searches.map(asArrays));
    }),
  );
});

function asArrays({ indexUid, path, asks, own, plan }: SharedSearchBytes): object {
  return {
    indexUid,
    path,
    asks: asks.map(({ remote, body }) => [remote, ...body]),
    own: [...own],
    plan: plan === null ? null : [...plan],
  };
}
