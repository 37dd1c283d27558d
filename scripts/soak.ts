/** `npm run soak [-- MINUTES [SEED]]`: the mixed load of the suite with kills of readers, for longer. */
import { soak } from "../test/soak/harness.ts";

const minutes = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error("MINUTES is a number above 0, SEED a whole one");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${minutes} minutes, seed ${seed}`);
const report = await soak({ seconds: minutes * 60, seed, lanes: 16, killEveryMs: 10_000 }, say);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (report.faults.length > 0 || report.documents !== report.documentsExpected) process.exitCode = 1;
