/**
 * What a reader thread had better do when it has nothing else to do: searches leave here what would make later ones
 * quicker but takes longer than one of them should. What a reader without an idle moment keeps doing without becomes
 * urgent: it is done between two searches. Bounded, and forgotten when its segment is gone.
 */
import type { IndexView } from "../../storage/index/view.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";

interface IdleJob {
  /** What it reads; nothing is done once no index has it. */
  reader: SegmentReader;
  isUrgent: boolean;
  run(): void;
}

const JOBS_MAX = 100;

/** By name, so that nothing is done twice. */
const jobs = new Map<string, IdleJob>();

export function addIdleJob(name: string, job: IdleJob): void {
  if (jobs.size < JOBS_MAX || jobs.has(name)) jobs.set(name, job);
}

export function hasIdleJobs(): boolean {
  return jobs.size > 0;
}

export function hasUrgentIdleJobs(): boolean {
  for (const { isUrgent } of jobs.values()) if (isUrgent) return true;
  return false;
}

/** Does the oldest urgent one, else the oldest. The indexes must stay as they are meanwhile. */
export function runIdleJob(indexes: Iterable<IndexView>): void {
  const all = [...jobs];
  const next = all.find(([, { isUrgent }]) => isUrgent) ?? all[0];
  if (next === undefined) return;
  const [name, { reader, run }] = next;
  jobs.delete(name);
  for (const { segments } of indexes) {
    if (segments.some((segment) => segment.reader === reader)) {
      run();
      return;
    }
  }
}
