/** `npm run fuzz [-- REQUESTS [SEED]]`: the made-up requests of the suite, more of them. SIGTERM ends it early, with what was seen by then. */
import { fuzz, fuzzVerdict } from "../test/fuzz/harness.ts";
import { sayVerdict } from "../test/lib/verdict.ts";

const requests = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
if (!Number.isInteger(requests) || !Number.isInteger(seed)) throw new Error("REQUESTS and SEED are whole numbers");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${requests} requests, seed ${seed}`);
let isOver = false;
process.once("SIGTERM", () => {
  isOver = true;
});
const report = await fuzz(requests, seed, say, () => isOver);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (!sayVerdict(fuzzVerdict(report), say)) process.exitCode = 1;
