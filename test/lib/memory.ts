/** What a process has in memory. Linux only. */
import { readFileSync } from "node:fs";

const PAGE_BYTES = 4096;

export function residentMb(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES) / 1e6;
}
