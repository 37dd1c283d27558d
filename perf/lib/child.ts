/** A program that runs beside the measurement until it ends by itself, and what it took. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

interface ChildCost {
  status: number | null;
  seconds: number;
  /** Of the program and of whatever it started. */
  cpuSeconds: number;
  peakMb: number;
  /** What it wrote. */
  text: string;
}

/** Ticks of the CPU times in `/proc`, a second. */
const TICKS = 100;
/** The kernel keeps the peak: what grows in the last moments alone is missed. */
const LOOK_MS = 20;

export class Child {
  readonly #child: ChildProcess;
  readonly cost: Promise<ChildCost>;

  /** One at a time: the kernel adds up what children took when they end. */
  constructor(command: string, args: readonly string[], env: Record<string, string>) {
    const cpuBefore = endedChildrenSeconds();
    const begin = performance.now();
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    }
    let peakMb = 0;
    const looking = setInterval(() => {
      peakMb = Math.max(peakMb, peakOf(child.pid ?? 0));
    }, LOOK_MS);
    this.cost = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => {
        clearInterval(looking);
        const seconds = (performance.now() - begin) / 1000;
        resolve({ status, seconds, cpuSeconds: endedChildrenSeconds() - cpuBefore, peakMb, text });
      });
    });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Megabytes that a process had resident at most; 0 when it is gone. */
export function peakOf(pid: number | "self"): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function endedChildrenSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}
