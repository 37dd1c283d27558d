/**
 * More than the server can do: by turns it is asked as much as it can answer, and several times as much, come what may. It must
 * go on doing nearly its best, refuse the rest at once and politely, answer `/health` all the while, and take no more memory for
 * it. The load comes from a process of its own. What is done is told by the clock, which neighbours on the machine slow down, and
 * by the time that the processors worked for the server, of which they take less; what they take changes within a minute, so
 * each overload is compared with its best right before and after.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { processMs } from "../lib/cpu.ts";
import { HealthProbe, type HealthTimes, quantile } from "../lib/health-probe.ts";
import { AS_INSTALLED, residentMb } from "../lib/memory.ts";
import { TestServer } from "../lib/server.ts";
import { atLeast, atMost, type Claim } from "../lib/verdict.ts";
import type { LoadOrder, LoadReport } from "./load.ts";

interface OverloadReport {
  /** Answers a second, and a second of work of the server, when as much is asked as can be answered: on average. */
  bestPerSecond: number;
  bestPerSecondOfWork: number;
  /** What it does for the same work where more is asked, as a share of that: in each turn, ascending. */
  shares: number[];
  asked: number;
  answered: number;
  refused: number;
  /** Neither answered nor refused with word of when to come back. */
  failed: number;
  answeredPerSecond: number;
  answeredPerSecondOfWork: number;
  /** Of `/health`, milliseconds, asked from another thread: they depend on who else works on the machine. */
  healthP50: number;
  healthP99: number;
  healthMax: number;
  /** What the front thread itself worked between question and answer: all that is waited for on a machine of its own. */
  frontP99: number;
  frontMax: number;
  /** Of as many requests at once as there are connections, on none of which anything was asked before. */
  burstAnswered: number;
  burstRefused: number;
  burstFailed: number;
  burstHealthMax: number;
  burstFrontMax: number;
  /** The most in the first half of the turns, and in the second. */
  residentMbEarly: number;
  residentMbLate: number;
}

interface OverloadOptions {
  /** Of overload, all in all. */
  seconds: number;
  times: number;
  documents: number;
  args?: string[];
}

const LOAD = fileURLToPath(new URL("load.ts", import.meta.url));
const CONNECTIONS = 2000;
/** So many may wait (`--experimental-search-queue-size`). */
const WAITING = 1000;
/** More than are ever under way. */
const QUERIES = 10_000;
const SAMPLE_MS = 100;
const TURNS = 5;
/** What the server can do is known a second later. */
const ASKED_SHARE = 0.8;
const WORDS = ["sea", "land", "river", "king", "queen", "night", "day", "house", "garden", "winter", "summer", "stone"];

export async function overload(
  { seconds, times, documents, args = [] }: OverloadOptions,
  say: (text: string) => void,
): Promise<OverloadReport> {
  const server = await TestServer.start({ args: ["--search-cache-size", "0", ...args], env: AS_INSTALLED });
  try {
    await server.write("POST", "/indexes/books/documents", madeUp(documents));
    const order = { base: server.base, queries: queries() };
    const worked = async (load: LoadOrder): Promise<LoadReport & Rates> => {
      const before = processMs(server.pid);
      const report = await runLoad(load);
      const workSeconds = (processMs(server.pid) - before) / 1000;
      const { answered, answeredLate, seconds: took } = report;
      return { ...report, perSecond: answered / took, perSecondOfWork: (answered + answeredLate) / workSeconds };
    };
    const turnSeconds = seconds / TURNS;
    const closed = (forSeconds = turnSeconds): Promise<Rates> =>
      worked({ ...order, kind: "closed", connections: 32, seconds: forSeconds });
    const probed = async (load: LoadOrder): Promise<{ load: LoadReport & Rates; health: HealthTimes }> => {
      const probe = new HealthProbe(server.base, server.pid);
      try {
        return { load: await worked(load), health: await probe.stop() };
      } finally {
        await probe.stop();
      }
    };
    // To get warm.
    await closed(seconds);
    const burst = await probed({ ...order, kind: "burst", connections: CONNECTIONS, seconds });
    say(`${burst.load.answered} of ${CONNECTIONS} at once answered, ${burst.load.refused} refused`);
    const bests = [await closed()];
    const loads: (LoadReport & Rates)[] = [];
    const health: HealthTimes[] = [];
    const memory = { residentMbEarly: 0, residentMbLate: 0 };
    for (let i = 0; i < TURNS; i++) {
      const { perSecond } = bests[i]!;
      const watch = new MemoryWatch(server.pid);
      const asked = { kind: "open", connections: CONNECTIONS, seconds: turnSeconds, perSecond, times } as const;
      const open = await probed({ ...order, ...asked });
      const part = i < TURNS / 2 ? "residentMbEarly" : "residentMbLate";
      memory[part] = Math.max(memory[part], watch.stop());
      loads.push(open.load);
      health.push(open.health);
      bests.push(await closed());
      say(`${toldLoad(open.load)}; at its best ${toldRates(bests[i]!)}, then ${toldRates(bests[i + 1]!)}`);
    }
    const sum = (of: (load: LoadReport) => number): number => loads.reduce((all, load) => all + of(load), 0);
    const mean = (rates: Rates[], of: keyof Rates): number =>
      rates.reduce((all, rate) => all + rate[of], 0) / rates.length;
    const inOrder = (of: keyof HealthTimes): number[] => health.flatMap((times) => times[of]).sort((a, b) => a - b);
    const shares = loads.map((load, i) => load.perSecondOfWork / mean(bests.slice(i, i + 2), "perSecondOfWork"));
    return {
      bestPerSecond: mean(bests, "perSecond"),
      bestPerSecondOfWork: mean(bests, "perSecondOfWork"),
      shares: shares.sort((a, b) => a - b),
      asked: sum(({ asked }) => asked),
      answered: sum(({ answered }) => answered),
      refused: sum(({ refused }) => refused),
      failed: sum(({ failed }) => failed),
      answeredPerSecond: mean(loads, "perSecond"),
      answeredPerSecondOfWork: mean(loads, "perSecondOfWork"),
      healthP50: quantile(inOrder("answerMs"), 0.5),
      healthP99: quantile(inOrder("answerMs"), 0.99),
      healthMax: quantile(inOrder("answerMs"), 1),
      frontP99: quantile(inOrder("frontMs"), 0.99),
      frontMax: quantile(inOrder("frontMs"), 1),
      burstAnswered: burst.load.answered,
      burstRefused: burst.load.refused,
      burstFailed: burst.load.failed,
      burstHealthMax: quantile(burst.health.answerMs, 1),
      burstFrontMax: quantile(burst.health.frontMs, 1),
      ...memory,
    };
  } finally {
    await server.dispose();
  }
}

/** What the project promises of a machine that does nothing else. */
export function overloadVerdict(report: OverloadReport, times: number): Claim[] {
  return [
    atLeast("times too much was asked", report.asked / report.answered, times * ASKED_SHARE),
    atLeast("share of its best, the median of all turns", quantile(report.shares, 0.5), 0.9),
    atMost("p99 of /health, ms of work before its answer", report.frontP99, 20),
    atMost("neither answered nor refused with Retry-After", report.failed + report.burstFailed, 0),
    atLeast("answered of those at once", report.burstAnswered, WAITING),
    atMost("memory in the second half, as a share of the first", report.residentMbLate / report.residentMbEarly, 1.1),
  ];
}

interface Rates {
  perSecond: number;
  perSecondOfWork: number;
}

const toldLoad = (load: LoadReport & Rates): string =>
  `${load.answered} of ${load.asked} answered, ${load.refused} refused: ${toldRates(load)}`;

const toldRates = ({ perSecond, perSecondOfWork }: Rates): string =>
  `${perSecond.toFixed(0)} multi-searches a second, ${perSecondOfWork.toFixed(0)} a second of work`;

class MemoryWatch {
  #most = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      this.#most = Math.max(this.#most, residentMb(pid));
    }, SAMPLE_MS);
  }

  /** The most that was seen. */
  stop(): number {
    clearInterval(this.#timer);
    return this.#most;
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

/** No two alike: the same question that waits already is asked only once. */
function queries(): string[] {
  return Array.from({ length: QUERIES }, (_, i) => {
    const word = WORDS[i % WORDS.length]!;
    const q = [`${word} ${WORDS[(i + 5) % WORDS.length]}`, word.slice(0, 3), `${word}${i % 97}`];
    return JSON.stringify({
      queries: q.map((text) => ({ indexUid: "books", q: text, limit: 10, cropMarker: `${i}` })),
    });
  });
}
