/** `npm run crash [-- CYCLES [SEED]]`: the crash test of the suite, for longer. */
import { crashCycles } from "../test/crash/harness.ts";

const cycles = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
process.stderr.write(`${cycles} cycles, seed ${seed}\n`);
const report = await crashCycles(cycles, seed, (text) => process.stderr.write(`${text}\n`));
process.stdout.write(`${JSON.stringify(report)}\n`);
