/**
 * Asks `/health` again and again from a thread of its own, which nothing else keeps waiting, and notes what the front thread
 * has worked between question and answer. That is what a question waits for on a machine that does nothing else; the time on
 * the clock is also that of everybody else who wants a core. Linux only.
 */
import { Worker } from "node:worker_threads";
import { within } from "./patience.ts";

const PROBE = `
const { parentPort, workerData: { base, pid } } = require("node:worker_threads");
const { readFileSync } = require("node:fs");
const http = require("node:http");
const agent = new http.Agent({ keepAlive: true });
const answerMs = [];
const frontMs = [];
let over = false;
parentPort.once("message", () => { over = true; });
const worked = () => Number(readFileSync("/proc/" + pid + "/task/" + pid + "/schedstat", "utf8").split(" ")[0]) / 1e6;
const ascending = (times) => times.sort((a, b) => a - b);
const next = () => {
  if (!over) { setTimeout(ask, 5); return; }
  agent.destroy();
  parentPort.postMessage({ answerMs: ascending(answerMs), frontMs: ascending(frontMs) });
};
const ask = () => {
  const from = performance.now();
  const before = worked();
  http.get(base + "/health", { agent }, (answer) => {
    answer.resume();
    answer.on("end", () => {
      answerMs.push(performance.now() - from);
      frontMs.push(worked() - before);
      next();
    });
  }).on("error", next);
};
ask();
`;

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
      this.#worker.once("message", async (times: HealthTimes) => {
        await this.#worker.terminate();
        resolve(times);
      });
      this.#worker.postMessage("stop");
    });
    return within(this.#times, () => "the last answer of /health");
  }
}

/** By the share of those that took at most as long. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;
}
