/** `npm run waiting [-- CLIENTS]`: the test of clients that wait, with more of them; half follow tasks, half wait for their own. */
import { waiting } from "../test/waiting/harness.ts";

const clients = Number(process.argv[2] ?? 10_000);
if (!Number.isInteger(clients) || clients < 2) throw new Error("CLIENTS is a whole number above 1");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const half = Math.floor(clients / 2);
const report = await waiting({ streams: clients - half, waits: half, changes: 10 }, say);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (report.missed > 0 || report.answered < half) process.exitCode = 1;
