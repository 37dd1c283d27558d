/** How much of the processors a thread gets where there are not enough of them. */
import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";

/** Niceness beyond that of the process: the scheduler gives such a thread about a third of what it gives the others. */
const NICER_BY = 5;

/** Of the thread that calls it. On Linux a priority belongs to a thread, and a thread is named by its own number. Elsewhere nothing is changed. */
export function lowerPriority(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + NICER_BY));
  } catch {
    // Best effort: it keeps the priority of the process.
  }
}
