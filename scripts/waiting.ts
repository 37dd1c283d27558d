/**
 * `npm run waiting [-- CLIENTS]`: the test of clients that wait, with more of them: all wait for their own tasks, then, at another
 * server, all follow the tasks of an index, and at a third it is half and half.
 */
import { readFileSync } from "node:fs";
import { waiting } from "../test/waiting/harness.ts";

const clients = Number(process.argv[2] ?? 10_000);
if (!Number.isInteger(clients) || clients < 2) throw new Error("CLIENTS is a whole number above 1");
/** Of files that are open besides. */
const FILES_BESIDE = 500;
const filesMax = Number(
  /Max open files\s+\d+\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity,
);
if (filesMax < clients + FILES_BESIDE) {
  throw new Error(
    `a process may have ${filesMax} files open: raise that first, by ulimit -n ${clients + FILES_BESIDE}`,
  );
}
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const half = Math.floor(clients / 2);
for (const waits of [clients, 0, half]) {
  const report = await waiting({ streams: clients - waits, waits, changes: 10 }, say);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.missed > 0 || report.answered < waits) process.exitCode = 1;
}
