import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeAsked, decodeSeen, encodeAsked, encodeSeen } from "../../../src/engine/link/seen-searches.ts";

const outcome = { found: fc.option(fc.nat()), ms: fc.option(fc.double({ min: 0, noNaN: true })) };

test("how searches went crosses threads as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.record(outcome, { noNullPrototype: true })), (searches) =>
      assert.deepEqual(decodeSeen(encodeSeen(searches)), searches),
    ),
  );
});

test("what was asked crosses threads as it is", () => {
  const query = fc.record({
    indexUid: fc.string(),
    q: fc.option(fc.string({ unit: "grapheme" })),
    found: outcome.found,
  });
  fc.assert(
    fc.property(fc.boolean(), fc.array(fc.nat(1e6)), fc.array(query), (isFederated, numbers, queries) => {
      const searches = queries.map((each) => ({ ...each, ms: null }));
      const asked = { used: { isFederated, searches: numbers }, searches };
      const told = decodeAsked(Buffer.from(encodeAsked(asked)));
      assert.deepEqual({ used: told.used, searches: [...told.searches] }, asked);
    }),
  );
});
