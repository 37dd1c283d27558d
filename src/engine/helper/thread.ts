/** A helper thread: runs one job at a time at a lower priority than the threads that answer requests. */
import "../../base/native/guard.ts";
import { statSync } from "node:fs";
import { keepCode } from "../../base/bundle/keep.ts";
import { MIB } from "../../base/limits.ts";
import { lowerPriority } from "../../base/time/priority.ts";
import { collectGarbage } from "../../storage/memory/garbage.ts";
import { leaveWorkshop } from "../../storage/segment/extract/workshop.ts";
import { type JobInput, type JobKind, type JobOutput, jobs } from "./jobs.ts";
import { failure, type Outcome } from "./outcome.ts";

export interface JobCall<K extends JobKind = JobKind> {
  kind: K;
  input: JobInput<K>;
}

/** That any merge has. */
const MERGE_BYTES_MIN = 2 * MIB;
const LEFT_BYTES_MAX = 32 * MIB;

/** By merges since the last collection, at most. */
let leftBytes = 0;

lowerPriority();

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
