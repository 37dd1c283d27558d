import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  decodeGiven,
  encodeGiven,
  encodeMissing,
  type MissingVector,
  missingIn,
} from "../../../src/engine/link/query-vectors.ts";

test("what vectors are wanted for crosses threads as it is", () => {
  const input = fc.record(
    { text: fc.option(fc.string({ unit: "grapheme" })), fragment: fc.constant(null) },
    { noNullPrototype: true },
  );
  const wanted = fc.record(
    {
      position: fc.nat(),
      place: fc.option(fc.nat()),
      indexUid: fc.string(),
      embedder: fc.string(),
      input,
      isNeeded: fc.boolean(),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(wanted), (all) => {
      const missing = all as MissingVector[];
      assert.deepEqual([...missingIn(encodeMissing(missing))], missing);
    }),
  );
});

test("vectors cross threads as they are, wherever their bytes lie", () => {
  const vector = fc.option(fc.float32Array({ minLength: 1 }));
  fc.assert(
    fc.property(
      fc.array(fc.record({ position: fc.nat(), vector }, { noNullPrototype: true })),
      fc.nat(7),
      (given, offset) => {
        const bytes = Buffer.concat([Buffer.alloc(offset), ...encodeGiven(given)]);
        assert.deepEqual(decodeGiven(bytes.subarray(offset)), given);
      },
    ),
  );
});
