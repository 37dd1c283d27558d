/**
 * What one search costs, stage by stage, on the threads of a real server under load: questions as people type them, none
 * asked twice. The kernel tells the CPU time of each thread, a sampled profile how it is spread over the stages.
 *
 *   npm run stages -- [--data DIR] [--corpus movies] [--field title] [--tenants [--number year]] [--connections 16] [--seconds 8] [--functions 10]
 */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { corporaIn, syntheticCorpus } from "./lib/corpus.ts";
import { type Sample, samplesBetween } from "./lib/cpu-profile.ts";
import { ensureFilled } from "./lib/fill.ts";
import { load } from "./lib/load.ts";
import { ownCommand } from "./lib/own-command.ts";
import { STAGES, stageOf, stageTimes } from "./lib/request-stages.ts";
import { Server } from "./lib/server.ts";
import { layOut } from "./lib/stats.ts";
import { cpuBetween, threadTimes } from "./lib/thread-cpu.ts";
import { tenantsQuestions, typedQuestions } from "./lib/typed.ts";

/** More than are answered, so that none comes twice. */
const QUESTIONS_PER_SECOND = 5000;
const INTERVAL_MICROS = 500;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    corpus: { type: "string", default: "movies" },
    documents: { type: "string", default: "50000" },
    field: { type: "string" },
    tenants: { type: "boolean", default: false },
    number: { type: "string" },
    connections: { type: "string", default: "16" },
    seconds: { type: "string", default: "8" },
    functions: { type: "string", default: "0" },
  },
});
const [corpus] =
  values.data === undefined ? [syntheticCorpus(Number(values.documents))] : corporaIn(values.data, [values.corpus]);
if (corpus === undefined) throw new Error(`no corpus ${values.corpus} in ${values.data}`);
const seconds = Number(values.seconds);
const lines = corpus.payloads.flatMap((payload) => payload.trimEnd().split("\n"));
const questions = typedQuestions(lines, values.field ?? corpus.searchable[0]!, 2 * seconds * QUESTIONS_PER_SECOND);
const bodies: object[] = values.tenants
  ? tenantsQuestions(questions, lines, corpus.facet, values.number ?? null)
  : questions.map((q) => ({ q }));
const folder = mkdtempSync(path.join(os.tmpdir(), "stages-"));
const options = ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${INTERVAL_MICROS}`];
const server = new Server("sabre", ownCommand(options));
const hrtimeMicros = (): number => Number(process.hrtime.bigint() / 1000n);

async function ask(asked: readonly object[]): Promise<number> {
  const { answers } = await load({
    address: server.address,
    key: server.key,
    requests: asked.map((body) => ({ path: `/indexes/${corpus!.uid}/search`, body: JSON.stringify(body) })),
    connections: Number(values.connections),
    until: { seconds },
  });
  if (answers > asked.length)
    process.stderr.write(`${answers} answers to ${asked.length} questions: some came twice\n`);
  return answers;
}

/** Microseconds a request in which a group of threads was in each stage. */
function spread(threads: readonly Sample[][], cpuMicros: number, answers: number): Map<string, number> {
  const times = stageTimes(threads.flat());
  const all = [...times.values()].reduce((sum, micros) => sum + micros, 0);
  return new Map([...times].map(([stage, micros]) => [stage, ((micros / all) * cpuMicros) / answers]));
}

/** The functions that took the most of each stage, themselves and what they call that is built in. */
function functionsOf(threads: readonly Sample[][], count: number): string {
  const times = new Map<string, number>();
  let all = 0;
  for (const { micros, stack } of threads.flat()) {
    const stage = stageOf(stack);
    if (stage === null) continue;
    all += micros;
    const own = stack.find(({ file }) => file !== "" && !file.startsWith("node:")) ?? stack[0]!;
    const name = stage.startsWith("rank") ? stage : `${stage} · ${stack[0]!.name} < ${own.name} ${own.file}`;
    times.set(name, (times.get(name) ?? 0) + micros);
  }
  const most = [...times].sort(([, a], [, b]) => b - a).slice(0, count);
  return most.map(([name, micros]) => `${((micros / all) * 100).toFixed(1).padStart(5)} %  ${name}`).join("\n");
}

try {
  await server.start();
  await ensureFilled({ server, corpora: [corpus], say: () => {} });
  const half = bodies.length >>> 1;
  await ask(bodies.slice(0, half));
  const before = threadTimes(server.pid);
  const from = hrtimeMicros();
  const answers = await ask(bodies.slice(half));
  const to = hrtimeMicros();
  const cpu = cpuBetween(before, threadTimes(server.pid));
  const { pid } = server;
  await server.stop();

  const [front, ...others] = samplesBetween(folder, pid, from, to);
  const inFront = spread([front!], cpu.front, answers);
  const inReaders = spread(others, cpu.readers, answers);
  const figure = (micros: number): string => (micros < 0.05 ? "" : micros.toFixed(1));
  const rows = STAGES.map((stage) => [stage, figure(inFront.get(stage) ?? 0), figure(inReaders.get(stage) ?? 0)]);
  const sums = [cpu.front, cpu.readers].map((micros) => figure(micros / answers));
  process.stdout.write(`${layOut(["µs of CPU a request", "front", "readers"], [...rows, ["all", ...sums]], 1)}\n\n`);
  const aside = cpu.v8 / answers;
  process.stdout.write(`compiling and collecting on threads of V8: ${figure(aside)} µs; ${answers} answers\n`);
  const shown = Number(values.functions);
  if (shown > 0) {
    process.stdout.write(`\nfront\n${functionsOf([front!], shown)}\n\nreaders\n${functionsOf(others, shown)}\n`);
  }
} finally {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
}
