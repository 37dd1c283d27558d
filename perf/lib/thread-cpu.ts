/** CPU time of the threads of a process, in groups, as the kernel counts it. */
import { readdirSync, readFileSync } from "node:fs";

/** The first thread, those that V8 compiles and collects garbage with, and all that were started later. */
type ThreadGroup = "front" | "v8" | "readers";

/** Node starts them before anything of ours runs: four that work, and one that waits for what is due later. */
const V8_THREADS = 5;
/** More than the kernel gives to processes and threads. */
const NUMBERS = 2 ** 22;

type ThreadCpu = Record<ThreadGroup, number>;

/** Microseconds of each thread since its start, by its number; the oldest first. */
type ThreadTimes = ReadonlyMap<string, number>;

export function threadTimes(pid: number): ThreadTimes {
  // Numbers begin anew once the highest is given: those below that of the first thread are the later ones.
  const age = (thread: string): number => (Number(thread) < pid ? Number(thread) + NUMBERS : Number(thread));
  const threads = readdirSync(`/proc/${pid}/task`).sort((a, b) => age(a) - age(b));
  return new Map(threads.flatMap((thread) => timeOf(pid, thread)));
}

/** None for a thread that has ended meanwhile. */
function timeOf(pid: number, thread: string): [string, number][] {
  try {
    const nanos = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    return [[thread, nanos / 1000]];
  } catch {
    return [];
  }
}

/**
 * Microseconds that were taken between two looks. What a thread took that has ended since, as helpers do that have nothing to
 * do, is in no group: taking all it ever took from its group would hide what the others of it took.
 */
export function cpuBetween(before: ThreadTimes, after: ThreadTimes): ThreadCpu {
  const sum: ThreadCpu = { front: 0, v8: 0, readers: 0 };
  for (const [i, [thread, micros]] of [...after].entries()) {
    sum[i === 0 ? "front" : i <= V8_THREADS ? "v8" : "readers"] += micros - (before.get(thread) ?? 0);
  }
  return sum;
}
