import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { pinnedHits, pinnedResult, withoutPinned, withPins } from "../../../src/engine/pins/merge.ts";
import { ask, idsOf, rows, viewOf } from "../rank/support.ts";

const DOCS = [
  { text: "one two", group: "a" },
  { text: "two", group: "b" },
  { text: "three", group: "a" },
  { text: "two three", group: "c" },
];

function place(found: string, pins: [string, number][]): string {
  const hits = pins.map(([hit, position]) => ({ hit, position }));
  return [...withPins(found, hits)].join("");
}

test("pins stand at their places, and follow the last document where there are too few", () => {
  assert.equal(place("abc", []), "abc");
  assert.equal(place("abc", [["x", 1]]), "axbc");
  assert.equal(
    place("abc", [
      ["x", 0],
      ["y", 0],
      ["z", 2],
    ]),
    "xyzabc",
  );
  assert.equal(
    place("ab", [
      ["x", 10],
      ["y", 20],
    ]),
    "abxy",
  );
  assert.equal(place("", [["x", 4]]), "x");
});

test("merging loses nothing, keeps both orders and never puts a pin before its place while others could stand there", () => {
  const positions = fc.array(fc.nat(12), { maxLength: 8 }).map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(fc.nat(10), positions, (count, pins) => {
      const found = Array.from({ length: count }, (_, i) => i);
      const merged = [
        ...withPins(
          found,
          pins.map((position, i) => ({ position, hit: -1 - i })),
        ),
      ];
      assert.deepEqual(
        merged.filter((hit) => hit >= 0),
        found,
      );
      assert.deepEqual(
        merged.filter((hit) => hit < 0),
        pins.map((_, i) => -1 - i),
      );
      const lastFound = count === 0 ? -1 : merged.indexOf(count - 1);
      for (const [i, position] of pins.entries()) {
        const at = merged.indexOf(-1 - i);
        assert.ok(at >= position || at > lastFound);
      }
    }),
  );
});

test("only documents that pass the filter are pinned, whichever segment holds them", () => {
  const all = rows(DOCS);
  const view = viewOf({}, [all.slice(0, 2), all.slice(2)], [1]);
  const universe = view.segments.map(({ live }) => live.copy());
  universe[0]!.clear(0);
  const pins = ["0", "1", "2", "9", "3"].map((id, i) => ({ id, position: 10 - i }));
  const pinned = pinnedHits(view, universe, pins, null);
  assert.deepEqual(
    pinned.map(({ position, hit }) => [position, hit.docid, hit.segment]),
    [
      [6, 3, 1],
      [8, 2, 1],
    ],
  );
});

test("at most a hundred documents are pinned", () => {
  const view = viewOf({}, [rows(Array.from({ length: 150 }, () => ({ text: "x" })))]);
  const universe = view.segments.map(({ live }) => live);
  const pins = Array.from({ length: 150 }, (_, i) => ({ id: String(149 - i), position: 0 }));
  const pinned = pinnedHits(view, universe, pins, null);
  assert.equal(pinned.length, 100);
  assert.equal(pinned[0]!.hit.docid, 149);
});

test("a pinned document shows its value of the distinct field: no other one does", () => {
  const view = viewOf({ filterableAttributes: ["group"] }, [rows(DOCS)]);
  const universe = view.segments.map(({ live }) => live);
  const pins = ["2", "0", "1"].map((id) => ({ id, position: 0 }));
  const pinned = pinnedHits(view, universe, pins, "group");
  assert.deepEqual(
    pinned.map(({ hit }) => hit.docid),
    [2, 1],
  );
  assert.deepEqual(
    withoutPinned(view, universe, pinned, "group").map((set) => [...set.toArray()]),
    [[3]],
  );
  assert.equal(universe[0]!.count(), 4);
});

test("pinned documents count in totals and candidates, and pages are cut behind them", () => {
  const view = viewOf({}, [rows(DOCS)]);
  const result = ask(view, { q: "two", limit: 2 });
  const universe = view.segments.map(({ live }) => live);
  const pinned = pinnedHits(view, universe, [{ id: "2", position: 1 }], null);
  const merged = pinnedResult(result, pinned, 2, 1000);
  assert.deepEqual(idsOf(merged), [idsOf(result)[0], 2]);
  assert.equal(merged.total, 4);
  assert.deepEqual([...merged.candidates[0]!.toArray()], [0, 1, 2, 3]);
  assert.equal(result.candidates[0]!.has(2), false);
  assert.equal(pinnedResult(result, pinned, 20, 1).hits.length, 1);
  assert.equal(pinnedResult(result, pinned, 20, 1).total, 1);
  assert.equal(pinnedResult(result, [], 2, 1000), result);
});
