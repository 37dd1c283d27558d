/** A helper thread: runs one job at a time at a lower priority than the threads that answer requests. */
import "../../base/native/guard.ts";
import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { keepCode } from "../../base/bundle/keep.ts";
import { collectGarbage } from "../../storage/memory/garbage.ts";
import { leaveWorkshop } from "../../storage/segment/extract/workshop.ts";
import { type JobInput, type JobKind, type JobOutput, jobs } from "./jobs.ts";
import { failure, type Outcome } from "./outcome.ts";

export interface JobCall<K extends JobKind = JobKind> {
  kind: K;
  input: JobInput<K>;
}

/** Niceness beyond that of the process: the scheduler gives such a thread about a third of what it gives the others. */
const NICER_BY = 5;

lowerPriority();

/** On Linux a priority belongs to a thread, and a thread is named by its own number. Elsewhere nothing is changed. */
function lowerPriority(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + NICER_BY));
  } catch {
    // Best effort: it keeps the priority of the process.
  }
}

export async function runJob<K extends JobKind>(call: JobCall<K>): Promise<Outcome<JobOutput<K>>> {
  // A merge has much memory of its own, and nothing is built on this thread meanwhile.
  if (call.kind === "segment.merge" && leaveWorkshop()) await collectGarbage();
  try {
    return { ok: true, output: await jobs[call.kind](call.input) };
  } catch (error) {
    return failure(error);
  } finally {
    if (call.kind === "segment.build") keepCode();
    // The engine does not know how much memory hangs on what a merge dropped, and this thread stands still until its next job.
    if (call.kind === "segment.merge") await collectGarbage();
  }
}
