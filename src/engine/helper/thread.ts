/** A helper thread: runs one job at a time at a lower priority than the threads that answer requests. */
import "../../base/native/guard.ts";
import { readlinkSync, statSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { keepCode } from "../../base/bundle/keep.ts";
import { MIB } from "../../base/limits.ts";
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
/** That any merge has. */
const MERGE_BYTES_MIN = 2 * MIB;
const LEFT_BYTES_MAX = 32 * MIB;

/** By merges since the last collection, at most. */
let leftBytes = 0;

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
    if (call.kind === "segment.merge") await leaveMerge(call.input as JobInput<"segment.merge">);
  }
}

/**
 * The engine does not know how much memory hangs on what a merge dropped, and this thread stands still until its next job. But to
 * collect takes longer than to merge what single documents have left, ten times a second: that waits until it is worth it.
 */
async function leaveMerge({ inputs }: JobInput<"segment.merge">): Promise<void> {
  leftBytes += MERGE_BYTES_MIN + inputs.reduce((sum, { path }) => sum + bytesOf(path), 0);
  if (leftBytes < LEFT_BYTES_MAX) return;
  leftBytes = 0;
  await collectGarbage();
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
