/** `npm run soak [-- MINUTES [SEED]]`: the mixed load of the suite with kills of readers, for longer. */
import { sayVerdict } from "../test/lib/verdict.ts";
import { soak, soakVerdict } from "../test/soak/harness.ts";

const LANES = 16;
const minutes = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error("MINUTES is a number above 0, SEED a whole one");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${minutes} minutes, seed ${seed}`);
const report = await soak({ seconds: minutes * 60, seed, lanes: LANES, killEveryMs: 10_000 }, say);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (!sayVerdict(soakVerdict(report, LANES), say)) process.exitCode = 1;
