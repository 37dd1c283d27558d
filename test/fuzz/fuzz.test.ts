import assert from "node:assert/strict";
import test from "node:test";
import { fuzz } from "./harness.ts";

test("whatever is asked, the server answers, and never with a fault of its own", async (t) => {
  const report = await fuzz(800, 7, (text) => t.diagnostic(text));
  t.diagnostic(JSON.stringify({ ...report, faults: report.faults.length }));
  assert.deepEqual(report.faults, []);
  assert.equal(report.requests, 800);
});
