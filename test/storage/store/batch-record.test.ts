import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BatchRecord } from "../../../src/base/contract/task.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { batchCodec, detailsOf, heldDetails } from "../../../src/storage/store/batch-record.ts";
import { LONG_DETAILS_BYTES } from "../../../src/storage/store/task-record.ts";
import { batchText, batchView } from "../../../src/storage/tasks/views.ts";

const record = (details: JsonObject): BatchRecord => ({
  uid: 7,
  taskUids: [1, 2],
  ...heldDetails(details),
  stats: { totalNbTasks: 2, status: {}, types: {}, indexUids: { a: 2 }, progressTrace: { '"details":{}': "1s" } },
  startedAt: 1,
  finishedAt: 2,
  strategy: 'of "details":{}',
});
const json = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue() as fc.Arbitrary<JsonObject>);

test("a batch is stored, and shown, with its details, long or short", () => {
  fc.assert(
    fc.property(json, fc.constantFrom(0, LONG_DETAILS_BYTES), (given, length) => {
      const details = JSON.parse(JSON.stringify({ ...given, filler: "\n$&".repeat(length) })) as JsonObject;
      const made = record(details);
      assert.equal(
        made.detailsText === undefined,
        length === 0 && JSON.stringify(details).length <= LONG_DETAILS_BYTES,
      );
      const stored = batchCodec.decode(batchCodec.encode(made), 7);
      assert.deepEqual(stored, made);
      assert.deepEqual(detailsOf(stored), details);
      const steps = [{ currentStep: '"details":{}', finished: 1, total: 2 }];
      const shown = JSON.parse(batchText(stored, steps)) as JsonObject;
      assert.deepEqual(shown, JSON.parse(JSON.stringify({ ...batchView(made, steps), details })));
    }),
  );
});

test("a record from before is read", () => {
  const old = { ...record({}), details: { stopWords: ["é\n"] } };
  assert.deepEqual(batchCodec.decode(Buffer.from(JSON.stringify(old)), 7), old);
});
