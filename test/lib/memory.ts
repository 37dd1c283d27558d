/** What a process has in memory. Linux only. */
import { readFileSync } from "node:fs";
import { MEMORY_SETTINGS } from "../../src/server/cli/memory-settings.ts";

/** With these a server is started where it is installed: without them its memory says more about the C library than about it. */
export const AS_INSTALLED: Record<string, string> = { ...MEMORY_SETTINGS };

export interface Memory {
  residentMb: number;
  /** The part of it that is the process's own. */
  ownMb: number;
  /** The part of it that files are read through, the store above all: the system takes it back when it wants to. */
  filesMb: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  // A process that has just ended has none.
  const mb = (name: string): number =>
    (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024) / 1e6;
  return { residentMb: mb("VmRSS"), ownMb: mb("RssAnon") + mb("RssShmem"), filesMb: mb("RssFile") };
}

export const residentMb = (pid: number): number => memoryOf(pid).residentMb;

/** In a line. */
export function toldMemory(pid: number): string {
  const { residentMb, ownMb, filesMb } = memoryOf(pid);
  return `${residentMb.toFixed(0)} MB (${ownMb.toFixed(0)} its own, ${filesMb.toFixed(0)} of files)`;
}
