/** A process and all that it started: who they are, what CPU they took, and how to set them aside. Linux only. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Ticks of the CPU times in `/proc`, a second. */
const TICKS = 100;

export function processTree(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    return [pid, ...children.flatMap((child) => processTree(Number(child)))];
  } catch {
    return [];
  }
}

/** Of those that still run. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuSecondsIn(`/proc/${pid}/stat`), 0);
}

/** Of the thread with which a process began. */
export function firstThreadSecondsOf(pid: number): number {
  return cpuSecondsIn(`/proc/${pid}/task/${pid}/stat`);
}

function cpuSecondsIn(file: string): number {
  try {
    const fields = readFileSync(file, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return 0;
  }
}

/** From now on these, and what they start, get the CPU that nobody else wants; false where that cannot be said. */
export function setAside(pids: readonly number[]): boolean {
  try {
    for (const pid of pids)
      execFileSync("chrt", ["--all-tasks", "--idle", "--pid", "0", String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
