/** `npm run flips [-- FLIPS [SEED]]`: the flipped bits of the suite, many more of them. */
import { flipBits } from "../test/flips/harness.ts";

const flips = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
if (!Number.isInteger(flips) || !Number.isInteger(seed)) throw new Error("FLIPS and SEED are whole numbers");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${flips} flips, seed ${seed}`);
const report = await flipBits(flips, seed, say);
process.stdout.write(`${JSON.stringify(report)}\n`);
