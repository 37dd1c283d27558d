/** `npm run overload [-- SECONDS [TIMES]]`: the overload test of the suite, for longer; TIMES what the server can do is asked of it. */
import { sayVerdict } from "../test/lib/verdict.ts";
import { overload, overloadVerdict } from "../test/overload/harness.ts";

const seconds = Number(process.argv[2] ?? 60);
const times = Number(process.argv[3] ?? 5);
if (!(seconds > 0) || !(times > 0)) throw new Error("SECONDS and TIMES are numbers above 0");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
say(`${times} times the capacity for ${seconds} s`);
const report = await overload({ seconds, times, documents: 20_000 }, say);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (!sayVerdict(overloadVerdict(report, times), say)) process.exitCode = 1;
