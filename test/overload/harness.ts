/**
 * More than the server can do: first what it can do at its best is measured, then several times as much is asked of it, come
 * what may. It must go on doing nearly its best, refuse the rest at once and politely, answer `/health` all the while, and
 * take no more memory for it. The load comes from a process of its own.
 */
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TestServer } from "../lib/server.ts";
import type { LoadOrder, LoadReport } from "./load.ts";

export interface OverloadReport {
  /** Answers a second when as much is asked as can be answered. */
  bestPerSecond: number;
  asked: number;
  answered: number;
  refused: number;
  /** Neither answered nor refused with word of when to come back. */
  failed: number;
  answeredPerSecond: number;
  /** Of `/health`, milliseconds. */
  healthP50: number;
  healthP99: number;
  healthMax: number;
  residentMbBefore: number;
  residentMbAfter: number;
}

export interface OverloadOptions {
  seconds: number;
  times: number;
  documents: number;
  args?: string[];
}

const LOAD = fileURLToPath(new URL("load.ts", import.meta.url));
const WORDS = ["sea", "land", "river", "king", "queen", "night", "day", "house", "garden", "winter", "summer", "stone"];

export async function overload(
  { seconds, times, documents, args = [] }: OverloadOptions,
  say: (text: string) => void,
): Promise<OverloadReport> {
  const server = await TestServer.start({ args: ["--search-cache-size", "0", ...args] });
  try {
    await server.write("POST", "/indexes/books/documents", madeUp(documents));
    const order = { base: server.base, queries: queries() };
    const closed = async (connections: number): Promise<number> => {
      const { answered, seconds: took } = await runLoad({ ...order, kind: "closed", connections, seconds });
      return answered / took;
    };
    // Once to get warm.
    await closed(8);
    const bestBefore = await closed(32);
    say(`${bestBefore.toFixed(0)} multi-searches a second before`);
    const residentMbBefore = residentMb(server.pid);
    const load = await runLoad({
      ...order,
      kind: "open",
      connections: 2000,
      seconds,
      perSecond: bestBefore * times,
    });
    const residentMbAfter = residentMb(server.pid);
    // The machine may have been busier before than after.
    const bestPerSecond = Math.max(bestBefore, await closed(32));
    const health = load.healthMs.sort((a, b) => a - b);
    const at = (share: number): number => health[Math.min(health.length - 1, Math.floor(health.length * share))] ?? 0;
    return {
      bestPerSecond,
      asked: load.asked,
      answered: load.answered,
      refused: load.refused,
      failed: load.failed,
      answeredPerSecond: load.answered / load.seconds,
      healthP50: at(0.5),
      healthP99: at(0.99),
      healthMax: at(1),
      residentMbBefore,
      residentMbAfter,
    };
  } finally {
    await server.dispose();
  }
}

function runLoad(order: LoadOrder): Promise<LoadReport> {
  return new Promise((resolve, reject) => {
    const child = fork(LOAD, { execArgv: ["--import", "tsx"] });
    child.once("message", (report) => resolve(report as LoadReport));
    child.once("exit", (code) => reject(new Error(`the load ended with ${code}`)));
    child.send(order);
  });
}

function madeUp(count: number): object[] {
  const word = (at: number): string => WORDS[at % WORDS.length]!;
  return Array.from({ length: count }, (_, id) => ({
    id,
    title: `${word(id)} of the ${word(id * 7 + 3)}`,
    text: Array.from({ length: 40 }, (_, i) => `${word(id * (i + 1) + i)}${(id * i) % 97}`).join(" "),
  }));
}

function queries(): string[] {
  return WORDS.map((word, i) => {
    const q = [`${word} ${WORDS[(i + 5) % WORDS.length]}`, word.slice(0, 3), `${word}${i}`];
    return JSON.stringify({ queries: q.map((text) => ({ indexUid: "books", q: text, limit: 10 })) });
  });
}

function residentMb(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096) / 1e6;
}
