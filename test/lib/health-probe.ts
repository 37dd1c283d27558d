/**
 * Asks `/health` again and again from a thread of its own, which nothing else keeps waiting, and notes what the front thread
 * has worked between question and answer. That is what a question waits for on a machine that does nothing else; the time on
 * the clock is also that of everybody else who wants a core. While the probe itself waits for a core it has not asked yet, or
 * has its answer already: what the front does meanwhile, for others, is not what it waited for. Nor is what the host of a virtual
 * machine does on a core that it took away, though the system counts much of it as work of the thread that ran there. Linux only.
 */
import { Worker } from "node:worker_threads";
import { within } from "./patience.ts";

const PROBE = `
const { parentPort, workerData: { base, pid } } = require("node:worker_threads");
const { readFileSync } = require("node:fs");
const http = require("node:http");
const agent = new http.Agent({ keepAlive: true });
const asked = [];
let over = false;
parentPort.once("message", () => { over = true; });
const schedule = (thread) => readFileSync("/proc/" + thread + "/schedstat", "utf8").split(" ").map((ns) => Number(ns) / 1e6);
const cores = /^cpu\\d+ (.*)$/gm;
const stolenMs = () => [...readFileSync("/proc/stat", "utf8").matchAll(cores)].map(([, ticks]) => Number(ticks.split(" ")[7]) * 10);
const moment = () => ({
  clockMs: performance.now(),
  probeWaitedMs: schedule("thread-self")[1],
  frontWorkedMs: schedule(pid + "/task/" + pid)[0],
  stolenMs: stolenMs(),
});
const next = () => {
  if (!over) { setTimeout(ask, 5); return; }
  agent.destroy();
  parentPort.postMessage(asked);
};
const ask = () => {
  const from = moment();
  http.get(base + "/health", { agent }, (answer) => {
    answer.resume();
    answer.on("end", () => {
      asked.push({ from, to: moment() });
      next();
    });
  }).on("error", next);
};
ask();
`;

/** Counters of the system, in milliseconds. */
interface Moment {
  clockMs: number;
  /** How long the probe has wanted a core and had none. */
  probeWaitedMs: number;
  frontWorkedMs: number;
  /** By core, what the host took of it. */
  stolenMs: number[];
}

interface Asked {
  from: Moment;
  to: Moment;
}

/** All of them, ascending. */
export interface HealthTimes {
  answerMs: number[];
  frontMs: number[];
}

export class HealthProbe {
  readonly #worker: Worker;
  #times: Promise<HealthTimes> | null = null;

  constructor(base: string, pid: number) {
    this.#worker = new Worker(PROBE, { eval: true, workerData: { base, pid } });
  }

  stop(): Promise<HealthTimes> {
    this.#times ??= new Promise((resolve, reject) => {
      this.#worker.once("error", reject);
      this.#worker.once("message", async (asked: Asked[]) => {
        await this.#worker.terminate();
        resolve({
          answerMs: ascending(asked.map(({ from, to }) => to.clockMs - from.clockMs)),
          frontMs: ascending(asked.map(keptWaitingMs)),
        });
      });
      this.#worker.postMessage("stop");
    });
    return within(this.#times, () => "the last answer of /health");
  }
}

/**
 * The front's work that the question waited for, at least: while the probe waits for a core, the front has worked for as long
 * at most. What keeps a question waiting leaves the probe asleep, so no such work is missed. The front may have been on the core
 * of which the most was taken.
 */
export function keptWaitingMs({ from, to }: Asked): number {
  const worked = to.frontWorkedMs - from.frontWorkedMs;
  const stolen = Math.max(0, ...to.stolenMs.map((ms, core) => ms - from.stolenMs[core]!));
  return Math.max(0, worked - (to.probeWaitedMs - from.probeWaitedMs) - stolen);
}

function ascending(times: number[]): number[] {
  return times.sort((a, b) => a - b);
}

/** By the share of those that took at most as long. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;
}
