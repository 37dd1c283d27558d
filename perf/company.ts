/**
 * Searches while people look on: the page open in a browser, streams of tasks, local analytics, against none of it. Two servers
 * with the same documents take turns, each asked by itself; small writes go on at both, so that there is something to tell.
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
import { threadCpu } from "./lib/thread-cpu.ts";
import { typedQuestions } from "./lib/typed.ts";

interface Run {
  rps: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicros: number;
  frontMicros: number;
  readerMicros: number;
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

async function run(server: Server): Promise<Run> {
  const before = threadCpu(server.pid);
  const cpuBefore = server.cpuSeconds();
  const { answers, p50Ms, p99Ms } = await load({
    address: server.address,
    key: server.key,
    requests: questions.map((q) => ({ path: `/indexes/${corpus!.uid}/search`, body: JSON.stringify({ q }) })),
    connections: Number(values.connections),
    until: { seconds },
  });
  const after = threadCpu(server.pid);
  return {
    rps: answers / seconds,
    p50Ms,
    p99Ms,
    cpuMicros: ((server.cpuSeconds() - cpuBefore) * 1e6) / answers,
    frontMicros: (after.front - before.front) / answers,
    readerMicros: (after.readers - before.readers) / answers,
  };
}

// Answers that are kept would be all that is measured from the second round on.
const command = `${ownCommand()} --search-cache-size 0`;
const sides = {
  alone: new Server("alone", command),
  "in company": new Server("company", `${command}${values.analytics === "on" ? " --analytics-local" : ""}`),
};
const runs = new Map<string, Run[]>();
try {
  for (const server of Object.values(sides)) {
    await server.start();
    await ensureFilled({ server, corpora: [corpus], say });
  }
  for (const server of Object.values(sides)) await run(server);
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [name, server] of Object.entries(sides)) {
      const guests = { streams: Number(values.streams), pages };
      const company = await Company.gather(server, Number(values.writes), name === "alone" ? null : guests);
      const figures = await run(server);
      await company.leave();
      runs.set(name, [...(runs.get(name) ?? []), figures]);
      say(`${name}, ${company.described}: ${JSON.stringify(figures)}`);
    }
  }
} finally {
  for (const server of Object.values(sides)) await server.dispose();
}

const COLUMNS: [head: string, name: keyof Run, best: (...figures: number[]) => number][] = [
  ["requests/s", "rps", Math.max],
  ["p50 ms", "p50Ms", Math.min],
  ["p99 ms", "p99Ms", Math.min],
  ["CPU µs a search", "cpuMicros", Math.min],
  ["of it front", "frontMicros", Math.min],
  ["of it readers", "readerMicros", Math.min],
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
