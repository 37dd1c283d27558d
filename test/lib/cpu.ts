/** What a thread of a process has worked so far: unlike the time on a clock, no neighbour changes it. Linux only. */
import { readFileSync } from "node:fs";

/** Of the main thread, in milliseconds. */
export function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
