import { test } from "node:test";
import { TestEmbedder } from "../embedding/embedder.ts";
import { crashCycles } from "./harness.ts";

const LIMIT = { timeout: 240_000 };

for (const seed of [42, 45]) {
  test(`ten kills under mixed writes lose nothing and leave nothing half applied (${seed})`, LIMIT, async (t) => {
    const report = await crashCycles(10, seed, (text) => t.diagnostic(text));
    t.diagnostic(JSON.stringify(report));
  });
}

test("kills while documents are embedded leave every document with its vectors", LIMIT, async (t) => {
  const embedder = await TestEmbedder.start();
  embedder.delayMs = 5;
  try {
    const report = await crashCycles(10, 43, (text) => t.diagnostic(text), embedder);
    t.diagnostic(JSON.stringify(report));
  } finally {
    await embedder.stop();
  }
});
