import assert from "node:assert/strict";
import { test } from "node:test";
import { vectorCrashCycles } from "./vectors.ts";

const CYCLES = 3;

for (const kind of ["cells", "graphs"] as const) {
  test(`kills while ${kind} are made lose no vector and leave none half there`, { timeout: 240_000 }, async (t) => {
    const report = await vectorCrashCycles(kind, CYCLES, 44, (text) => t.diagnostic(text));
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.cycles, CYCLES);
    assert.ok(
      report.whole + report.unfinished >= CYCLES,
      "each kill left at least one segment with vectors to look at",
    );
  });
}
