import { test } from "node:test";
import { vectorCrashCycles } from "./vectors.ts";

for (const kind of ["cells", "graphs"] as const) {
  test(`kills while ${kind} are made lose no vector and leave none half there`, { timeout: 240_000 }, async (t) => {
    const report = await vectorCrashCycles(kind, 3, 44, (text) => t.diagnostic(text));
    t.diagnostic(JSON.stringify(report));
  });
}
