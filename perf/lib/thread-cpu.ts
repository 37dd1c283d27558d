/** CPU time of the threads of a process, in groups, as the kernel counts it. */
import { readdirSync, readFileSync } from "node:fs";

/** The first thread, those that V8 compiles and collects garbage with, and all that were started later. */
type ThreadGroup = "front" | "v8" | "readers";

/** Node starts them before anything of ours runs: four that work, and one that waits for what is due later. */
const V8_THREADS = 5;
/** More than the kernel gives to processes and threads. */
const NUMBERS = 2 ** 22;

type ThreadCpu = Record<ThreadGroup, number>;

/** Microseconds since the start. */
export function threadCpu(pid: number): ThreadCpu {
  const sum: ThreadCpu = { front: 0, v8: 0, readers: 0 };
  // Numbers begin anew once the highest is given: those below that of the first thread are the later ones.
  const age = (thread: string): number => (Number(thread) < pid ? Number(thread) + NUMBERS : Number(thread));
  const threads = readdirSync(`/proc/${pid}/task`).sort((a, b) => age(a) - age(b));
  for (const [i, thread] of threads.entries()) {
    const nanos = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    sum[i === 0 ? "front" : i <= V8_THREADS ? "v8" : "readers"] += nanos / 1000;
  }
  return sum;
}
