import assert from "node:assert/strict";
import test from "node:test";
import { type FuzzReport, fuzz, fuzzVerdict } from "./harness.ts";

test("whatever is asked, the server answers, and never with a fault of its own", async (t) => {
  const report = await fuzz(800, 7, (text) => t.diagnostic(text));
  t.diagnostic(JSON.stringify({ ...report, faults: report.faults.length }));
  assert.deepEqual(report.faults, []);
  assert.equal(report.requests, 800);
});

test("memory is judged in runs that are warm by their third fifth, and growth is found there", () => {
  const report = (requests: number, ownMb: number[]): FuzzReport => ({
    ...{ seed: 1, requests, byStatus: {}, faults: [], healthAsked: 1, healthP99: 1, healthMax: 1, healthAbove50Ms: 0 },
    ...{ frontMsMax: 1, stalls: 0, ownMb, ownMbMax: ownMb, residentMbMax: ownMb },
  });
  const fails = (requests: number, ownMb: number[]): boolean =>
    fuzzVerdict(report(requests, ownMb)).some(({ holds }) => !holds);
  assert.equal(fails(10_000, [142, 192, 244, 282, 297]), false, "heaps take their size");
  assert.equal(fails(300_000, [282, 336, 348, 345, 324]), false);
  assert.equal(fails(300_000, [282, 336, 348, 370, 390]), true);
});
