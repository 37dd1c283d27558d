/**
 * What the server that leads tells in its notes of the batches that it runs, so that the others show them as well. Tasks of a batch follow
 * each other mostly, so they are told as ranges; a batch with too many of these is not told of, and its tasks show as enqueued.
 */
import type { BatchRecord } from "../../base/contract/task.ts";
import type { ListedBatch, TaskLog } from "../../storage/tasks/log.ts";
import type { LeaderRecord, Member, RunningBatch } from "../front/cluster-view.ts";

const RANGES_MAX = 1000;

export function toldOf(running: readonly ListedBatch[]): RunningBatch[] {
  return running.flatMap(({ batch, progress }) => {
    const { uid, taskUids, details, stats, startedAt, strategy } = batch;
    const tasks = rangesOf(taskUids);
    return tasks.length > RANGES_MAX ? [] : [{ uid, tasks, details, stats, startedAt, strategy, progress }];
  });
}

/** Shows what the last note of the leader tells. `applied`: up to which record what has finished since is known here. */
export function showRunning(
  leader: LeaderRecord | null,
  members: readonly Member[],
  applied: number,
  tasks: Pick<TaskLog, "onRunningElsewhere">,
): void {
  const note = members.find(({ name, boot }) => name === leader?.node && boot === leader.boot);
  const running = (note?.isLive ? note.running : undefined) ?? [];
  tasks.onRunningElsewhere(running.map(heardOf), note === undefined || applied >= note.applied);
}

function heardOf({ tasks, progress, ...rest }: RunningBatch): ListedBatch {
  const taskUids = tasks.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
  const batch: BatchRecord = { ...rest, taskUids, finishedAt: null };
  return { batch, progress };
}

/** `uids` grow. */
function rangesOf(uids: readonly number[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const uid of uids) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === uid - 1) range[1] = uid;
    else ranges.push([uid, uid]);
  }
  return ranges;
}
