import { test } from "node:test";
import { crashCycles } from "./harness.ts";

test("twenty kills under mixed writes lose nothing and leave nothing half applied", { timeout: 240_000 }, async (t) => {
  const report = await crashCycles(20, 42, (text) => t.diagnostic(text));
  t.diagnostic(JSON.stringify(report));
});
