/** `npm run crash [-- CYCLES [SEED [embed]]]`: the crash test of the suite, for longer; `embed` with an embedder. */
import { crashCycles } from "../test/crash/harness.ts";
import { TestEmbedder } from "../test/embedding/embedder.ts";

const cycles = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const embedder = process.argv[4] === "embed" ? await TestEmbedder.start() : null;
if (embedder !== null) embedder.delayMs = 5;
process.stderr.write(`${cycles} cycles, seed ${seed}\n`);
const report = await crashCycles(cycles, seed, (text) => process.stderr.write(`${text}\n`), embedder);
await embedder?.stop();
process.stdout.write(`${JSON.stringify(report)}\n`);
