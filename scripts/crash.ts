/**
 * `npm run crash [-- CYCLES [SEED [embed | cells | graphs]]]`: the crash tests of the suite, for longer; `embed` with an embedder,
 * `cells` and `graphs` while these are made of vectors. Writes go to several servers at once, each with a directory of its own:
 * one of them waits for its disk, its clients or its start most of the time.
 */
import { type CrashReport, crashCycles } from "../test/crash/harness.ts";
import { vectorCrashCycles } from "../test/crash/vectors.ts";
import { TestEmbedder } from "../test/engine/writer/embedding/embedder.ts";

const LANES = 3;
const cycles = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const kind = process.argv[4] ?? "plain";
if (!Number.isInteger(cycles) || !Number.isInteger(seed)) throw new Error("CYCLES and SEED are whole numbers");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${cycles} cycles, seed ${seed}, ${kind}`);

async function lane(number: number, of: number): Promise<CrashReport> {
  const own = Math.floor(cycles / of) + (number < cycles % of ? 1 : 0);
  const embedder = kind === "embed" ? await TestEmbedder.start() : null;
  try {
    return await crashCycles(own, seed + number, (text) => say(`server ${number}: ${text}`), embedder);
  } finally {
    await embedder?.stop();
  }
}

async function lanes(): Promise<CrashReport> {
  const of = Math.min(LANES, cycles);
  const reports = await Promise.all(Array.from({ length: of }, (_, number) => lane(number, of)));
  const sum = (name: keyof CrashReport): number => reports.reduce((total, report) => total + report[name], 0);
  return {
    cycles: sum("cycles"),
    startKills: sum("startKills"),
    acknowledged: sum("acknowledged"),
    unanswered: sum("unanswered"),
    canceled: sum("canceled"),
  };
}

const report = kind === "cells" || kind === "graphs" ? await vectorCrashCycles(kind, cycles, seed, say) : await lanes();
process.stdout.write(`${JSON.stringify(report)}\n`);
