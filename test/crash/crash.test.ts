import assert from "node:assert/strict";
import { test } from "node:test";
import { TestEmbedder } from "../engine/writer/embedding/embedder.ts";
import { crashCycles } from "./harness.ts";

const LIMIT = { timeout: 240_000 };
/** A run in which every request fails would lose nothing either. */
const ACKNOWLEDGED_MIN = 20;

// Short versions: `npm run crash` runs as many cycles as it is told.
test("kills under mixed writes lose nothing and leave nothing half applied", LIMIT, async (t) => {
  const report = await crashCycles(10, 42, (text) => t.diagnostic(text));
  t.diagnostic(JSON.stringify(report));
  assert.equal(report.cycles, 10);
  assert.ok(report.acknowledged >= ACKNOWLEDGED_MIN, "hardly anything was written");
});

test("kills while documents are embedded leave every document with its vectors", LIMIT, async (t) => {
  const embedder = await TestEmbedder.start();
  try {
    const report = await crashCycles(6, 43, (text) => t.diagnostic(text), embedder);
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.cycles, 6);
    assert.ok(report.acknowledged >= ACKNOWLEDGED_MIN, "hardly anything was written");
  } finally {
    await embedder.stop();
  }
});
