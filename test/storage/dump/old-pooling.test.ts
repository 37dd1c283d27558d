import assert from "node:assert/strict";
import test from "node:test";
import { poolsByMean, withOldPooling } from "../../../src/storage/dump/old-pooling.ts";

// The interface, pooling: "`forceMean` (default for embedders created by versions up to 1.13)"
test("dumps of versions up to 1.13 pool by the mean, others by the model", () => {
  for (const version of ["1.0.0", "1.13.0", "1.13.3", "v1.9.2"]) assert.equal(poolsByMean(version), true, version);
  for (const version of ["1.14.0", "1.50.0", "0.1.0", "2.1.0", "1", "", null, undefined]) {
    assert.equal(poolsByMean(version), false, String(version));
  }
  const hub = { source: "huggingFace", model: "m" };
  assert.deepEqual(
    withOldPooling({
      plain: hub,
      told: { ...hub, pooling: "forceCls" },
      rest: { source: "rest" },
      both: { source: "composite", searchEmbedder: hub, indexingEmbedder: { source: "rest" } },
      gone: null,
    }),
    {
      plain: { ...hub, pooling: "forceMean" },
      told: { ...hub, pooling: "forceCls" },
      rest: { source: "rest" },
      both: {
        source: "composite",
        searchEmbedder: { ...hub, pooling: "forceMean" },
        indexingEmbedder: { source: "rest" },
      },
      gone: null,
    },
  );
  assert.equal(withOldPooling(null), null);
});
