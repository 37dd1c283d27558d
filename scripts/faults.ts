/**
 * `npm run faults [-- ROUNDS | every [SEED]]`: the faults of the disk of the suite, for longer; `every` lets every call of a round
 * of writes go wrong once for every error that it may meet. Needs a C compiler.
 */
import { faultRounds } from "../test/faults/harness.ts";

const rounds = process.argv[2] === "every" ? "every" : Number(process.argv[2] ?? 300);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
if ((rounds !== "every" && !Number.isInteger(rounds)) || !Number.isInteger(seed)) {
  throw new Error("ROUNDS and SEED are whole numbers");
}
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${rounds} rounds, seed ${seed}`);
const report = await faultRounds(rounds, seed, say);
if (report === null) throw new Error("there is no C compiler for the library that makes calls fail");
process.stdout.write(`${JSON.stringify(report)}\n`);
