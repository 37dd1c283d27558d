import { test } from "node:test";
import { TestEmbedder } from "../embedding/embedder.ts";
import { cellCrashCycles } from "./cells.ts";
import { crashCycles } from "./harness.ts";

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

test("kills while cells are found lose no vector, and no cells are half there", { timeout: 240_000 }, async (t) => {
  const report = await cellCrashCycles(4, 44, (text) => t.diagnostic(text));
  t.diagnostic(JSON.stringify(report));
});
