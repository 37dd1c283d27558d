import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { receivedElements, sentElements } from "../../../src/engine/federation/sent-elements.ts";
import type { Element } from "../../../src/engine/rank/elements.ts";

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const element: fc.Arbitrary<Element> = fc.oneof(
  number.map((score): Element => ({ kind: "score", score })),
  number.map((score): Element => ({ kind: "score", score, byMeaning: true })),
  fc
    .tuple(fc.boolean(), fc.oneof(number, fc.string(), fc.constant(null)))
    .map(([descending, value]): Element => ({ kind: "sort", descending, value })),
  fc
    .tuple(fc.boolean(), fc.oneof(number, fc.constant(null)))
    .map(([descending, distance]): Element => ({ kind: "geo", descending, distance })),
);

test("a place is told to another server without loss", () => {
  fc.assert(
    fc.property(fc.array(element), (elements) => {
      assert.deepEqual(receivedElements(JSON.parse(sentElements(elements))), elements);
    }),
  );
});

test("the words are those of the interface", () => {
  assert.equal(
    sentElements([
      { kind: "score", score: 0.5 },
      { kind: "score", score: 0.25, byMeaning: true },
      { kind: "sort", descending: false, value: "a" },
      { kind: "geo", descending: true, distance: null },
    ]),
    '[{"weightedScore":0.5},{"vectorSort":0.25},{"sort":{"asc":true,"value":"a"}},{"geoSort":{"asc":false,"distance":null}}]',
  );
});

test("what is no such list is known as that", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const read = receivedElements(value);
      if (read !== null) assert.equal(read.length, (value as unknown[]).length);
    }),
  );
  for (const wrong of [
    null,
    1,
    {},
    [1],
    [null],
    [{}],
    [{ sort: 1 }],
    [{ sort: { value: 1 } }],
    [{ weightedScore: "1" }],
  ]) {
    assert.equal(receivedElements(wrong), null, JSON.stringify(wrong));
  }
});
