import { test } from "node:test";
import { TestEmbedder } from "../embedding/embedder.ts";
import { crashCycles } from "./harness.ts";
import { vectorCrashCycles } from "./vectors.ts";

test("twenty kills under mixed writes lose nothing and leave nothing half applied", { timeout: 240_000 }, async (t) => {
  const report = await crashCycles(20, 42, (text) => t.diagnostic(text));
  t.diagnostic(JSON.stringify(report));
});

test("kills while documents are embedded leave every document with its vectors", { timeout: 240_000 }, async (t) => {
  const embedder = await TestEmbedder.start();
  embedder.delayMs = 5;
  try {
    const report = await crashCycles(10, 43, (text) => t.diagnostic(text), embedder);
    t.diagnostic(JSON.stringify(report));
  } finally {
    await embedder.stop();
  }
});

for (const kind of ["cells", "graphs"] as const) {
  test(`kills while ${kind} are made lose no vector and leave none half there`, { timeout: 240_000 }, async (t) => {
    const report = await vectorCrashCycles(kind, 4, 44, (text) => t.diagnostic(text));
    t.diagnostic(JSON.stringify(report));
  });
}
