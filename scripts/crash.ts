/**
 * `npm run crash [-- CYCLES [SEED [embed | cells | graphs]]]`: the crash tests of the suite, for longer; `embed` with an embedder,
 * `cells` and `graphs` while these are made of vectors.
 */
import { crashCycles } from "../test/crash/harness.ts";
import { vectorCrashCycles } from "../test/crash/vectors.ts";
import { TestEmbedder } from "../test/engine/writer/embedding/embedder.ts";

const cycles = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const kind = process.argv[4] ?? "plain";
if (!Number.isInteger(cycles) || !Number.isInteger(seed)) throw new Error("CYCLES and SEED are whole numbers");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${cycles} cycles, seed ${seed}, ${kind}`);
const embedder = kind === "embed" ? await TestEmbedder.start() : null;
const report =
  kind === "cells" || kind === "graphs"
    ? await vectorCrashCycles(kind, cycles, seed, say)
    : await crashCycles(cycles, seed, say, embedder);
await embedder?.stop();
process.stdout.write(`${JSON.stringify(report)}\n`);
