/**
 * Measures one or more servers that speak the interface, one after the other, on the same work, and prints one table.
 *
 *   npm run perf -- [--data DIR] [--documents N] [--phases a,b] [--out FILE] [NAME TARGET]…
 *
 * TARGET is a URL or a start command with {port}, {dir} and {key}; without any, this server is measured. DIR holds NDJSON
 * files (perf/lib/corpus.ts); without it N documents are made up.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { corporaIn, syntheticCorpus } from "./lib/corpus.ts";
import type { Phase } from "./lib/phase.ts";
import { Server } from "./lib/server.ts";
import { type Figure, printTable, round } from "./lib/stats.ts";
import { enqueue } from "./phases/enqueue.ts";
import { footprint } from "./phases/footprint.ts";
import { indexing } from "./phases/indexing.ts";
import { readsUnderWrites } from "./phases/reads-under-writes.ts";
import { smallWrites } from "./phases/small-writes.ts";

const PHASES: Record<string, Phase> = {
  indexing,
  footprint,
  "small-writes": smallWrites,
  "reads-under-writes": readsUnderWrites,
  enqueue,
};
/** Whatever the order asked for: sizes are measured right after indexing, and that phase deletes most documents. */
const ORDER = ["indexing", "small-writes", "enqueue", "reads-under-writes", "footprint"];
const OWN_COMMAND =
  "node dist/main.js --http-addr 127.0.0.1:{port} --db-path {dir} --master-key {key} --no-analytics --log-level WARN";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string" },
    documents: { type: "string", default: "50000" },
    phases: { type: "string", default: ORDER.join(",") },
    out: { type: "string", default: "perf/results/latest.json" },
  },
});
const chosen = new Set(values.phases.split(","));
for (const name of chosen) if (!(name in PHASES)) throw new Error(`no phase ${name}: ${ORDER.join(", ")}`);
const corpora = values.data === undefined ? [syntheticCorpus(Number(values.documents))] : corporaIn(values.data);
if (corpora.length === 0) throw new Error(`no corpus in ${values.data}`);
const largest = corpora.reduce((a, b) => (a.documents > b.documents ? a : b));
const targets: Server[] = [];
for (let i = 0; i < positionals.length; i += 2) targets.push(new Server(positionals[i], positionals[i + 1]));
if (targets.length === 0) targets.push(new Server("sabre", OWN_COMMAND));

const results: { name: string; figures: Figure[] }[] = [];
for (const server of targets) {
  const figures: Figure[] = [];
  results.push({ name: server.name, figures });
  const say = (text: string) => process.stderr.write(`${server.name}: ${text}\n`);
  const report = (phase: string, name: string, unit: string, value: number, better: Figure["better"]) => {
    figures.push({ phase, name, unit, value, better });
    say(`${phase} · ${name}: ${round(value, 3)} ${unit}`);
  };
  const started = await server.start();
  if (server.ownsProcess) report("start", "empty directory to first answer", "ms", started, "less");
  for (const name of ORDER) {
    if (chosen.has(name)) await PHASES[name]({ server, corpora, largest, report, say });
  }
  await server.dispose();
}
mkdirSync(path.dirname(values.out), { recursive: true });
writeFileSync(values.out, `${JSON.stringify({ date: new Date().toISOString(), results }, null, 2)}\n`);
process.stdout.write(`${printTable(results)}\n`);
