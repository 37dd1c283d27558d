import assert from "node:assert/strict";
import test from "node:test";
import { soak } from "./harness.ts";

test("a mixed life with dying readers loses nothing but what they held", async (t) => {
  const report = await soak({ seconds: 4, seed: 5, lanes: 6, killEveryMs: 1500 }, (text) => t.diagnostic(text));
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.faults, []);
  assert.ok(report.kills > 0 && report.requests > 0);
  assert.equal(report.documents, report.documentsExpected);
  // A reader holds what it works on; requests that wait are for its successor.
  assert.ok(report.lost <= report.kills * 6, JSON.stringify(report));
});
