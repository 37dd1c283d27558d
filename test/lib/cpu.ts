/** What a process or its main thread has worked so far: unlike the time on a clock, no neighbour changes it. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** Of the main thread, in milliseconds. */
export function mainThreadMs(pid: number): number {
  return threadMs(`/proc/${pid}/task/${pid}`);
}

/** Of all threads that live, in milliseconds. */
export function processMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).reduce((sum, thread) => sum + threadMs(`${folder}/${thread}`), 0);
}

function threadMs(folder: string): number {
  return Number(readFileSync(`${folder}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
