/**
 * Searches while people look on: the page open in a browser, streams of tasks, local analytics, against none of it. Servers with the
 * same documents take turns, each asked by itself; small writes go on at all of them, so that there is something to tell. Two have
 * no analytics: by how much these differ, figures of two processes may differ without a cause. The third has them, and is asked
 * with and without company.
 *
 *   npm run perf:company -- [--data DIR] [--corpus movies] [--rounds 5] [--seconds 8] [--connections 16] [--writes 2]
 *                           [--streams 20] [--pages tasks,server] [--analytics on|off]
 */
import { parseArgs } from "node:util";
import { Company } from "./lib/company.ts";
import { corporaIn, syntheticCorpus } from "./lib/corpus.ts";
import { ensureFilled } from "./lib/fill.ts";
import { load } from "./lib/load.ts";
import { ownCommand } from "./lib/own-command.ts";
import { Server } from "./lib/server.ts";
import { layOut, quantile, round } from "./lib/stats.ts";
import { cpuBetween, threadTimes } from "./lib/thread-cpu.ts";
import { typedQuestions } from "./lib/typed.ts";

interface Run {
  rps: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicros: number;
  frontMicros: number;
  v8Micros: number;
  readerMicros: number;
  /** Of threads that ended meanwhile, and what the clocks of process and threads differ by. */
  endedMicros: number;
  /** Of one core. */
  browserShare: number;
}

/** More than are answered, so that none comes twice in a run. */
const QUESTIONS_PER_SECOND = 5000;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    corpus: { type: "string", default: "movies" },
    documents: { type: "string", default: "50000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "8" },
    connections: { type: "string", default: "16" },
    streams: { type: "string", default: "20" },
    writes: { type: "string", default: "2" },
    pages: { type: "string", default: "tasks,server" },
    analytics: { type: "string", default: "on" },
  },
});
const [corpus] =
  values.data === undefined ? [syntheticCorpus(Number(values.documents))] : corporaIn(values.data, [values.corpus]);
if (corpus === undefined) throw new Error(`no corpus ${values.corpus} in ${values.data}`);
const seconds = Number(values.seconds);
const lines = corpus.payloads.flatMap((payload) => payload.trimEnd().split("\n"));
const questions = typedQuestions(lines, corpus.searchable[0]!, seconds * QUESTIONS_PER_SECOND);
const pages = values.pages.split(",").filter((page) => page !== "");
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

async function run(server: Server, company: Company | null): Promise<Run> {
  const browserBefore = company?.browserCpuSeconds() ?? 0;
  const before = threadTimes(server.pid);
  const cpuBefore = server.cpuSeconds();
  const { answers, p50Ms, p99Ms } = await load({
    address: server.address,
    key: server.key,
    requests: questions.map((q) => ({ path: `/indexes/${corpus!.uid}/search`, body: JSON.stringify({ q }) })),
    connections: Number(values.connections),
    until: { seconds },
  });
  const cpuMicros = ((server.cpuSeconds() - cpuBefore) * 1e6) / answers;
  const { front, v8, readers } = cpuBetween(before, threadTimes(server.pid));
  return {
    rps: answers / seconds,
    p50Ms,
    p99Ms,
    cpuMicros,
    frontMicros: front / answers,
    v8Micros: v8 / answers,
    readerMicros: readers / answers,
    endedMicros: Math.max(0, cpuMicros - (front + v8 + readers) / answers),
    browserShare: ((company?.browserCpuSeconds() ?? 0) - browserBefore) / seconds,
  };
}

// Answers that are kept would be all that is measured from the second round on.
const command = `${ownCommand()} --search-cache-size 0`;
const plain = new Server("plain", command);
const another = new Server("another", command);
const counting = new Server("counting", `${command}${values.analytics === "on" ? " --analytics-local" : ""}`);
const guests = { streams: Number(values.streams), pages };
const sides: { name: string; server: Server; guests: typeof guests | null }[] = [
  { name: "alone", server: plain, guests: null },
  { name: "alone, another process", server: another, guests: null },
  { name: `analytics ${values.analytics}`, server: counting, guests: null },
  { name: `analytics ${values.analytics}, in company`, server: counting, guests },
];
const runs = new Map<string, Run[]>();
try {
  for (const server of [plain, another, counting]) {
    await server.start();
    await ensureFilled({ server, corpora: [corpus], say });
    await run(server, null);
  }
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const side of sides) {
      const company = await Company.gather(side.server, Number(values.writes), side.guests);
      const figures = await run(side.server, company);
      await company.leave();
      runs.set(side.name, [...(runs.get(side.name) ?? []), figures]);
      say(`${side.name}, ${company.described}: ${JSON.stringify(figures)}`);
    }
  }
} finally {
  for (const server of [plain, another, counting]) await server.dispose();
}

const COLUMNS: [head: string, name: keyof Run, best: (...figures: number[]) => number][] = [
  ["requests/s", "rps", Math.max],
  ["p50 ms", "p50Ms", Math.min],
  ["p99 ms", "p99Ms", Math.min],
  ["CPU µs a search", "cpuMicros", Math.min],
  ["of it front", "frontMicros", Math.min],
  ["of it readers", "readerMicros", Math.min],
  ["of it V8", "v8Micros", Math.min],
  ["of it threads that ended", "endedMicros", Math.min],
  ["cores of the browser", "browserShare", Math.min],
];
const rows = [...runs].map(([name, all]) => [
  name,
  ...COLUMNS.map(([, figure, best]) => {
    const figures = all.map((each) => each[figure]);
    return `${round(quantile(figures, 0.5))} (${round(best(...figures))})`;
  }),
]);
console.log(`Median (best) of ${values.rounds} runs of ${seconds} s over ${values.connections} connections.`);
console.log(layOut(["", ...COLUMNS.map(([head]) => head)], rows, 1));
