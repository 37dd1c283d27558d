/**
 * Measures one or more servers that speak the interface, one after the other, on the same work, and prints one table.
 *
 *   npm run perf -- [--data DIR] [--documents N] [--phases a,b] [--details] [--out FILE] [NAME TARGET]…
 *
 * TARGET is a URL or a start command with {port}, {dir} and {key}; without any, this server is measured. DIR holds NDJSON
 * files (perf/lib/corpus.ts); without it N documents are made up. perf/README.md tells what the phases are.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { corporaIn, syntheticCorpus } from "./lib/corpus.ts";
import { ensureFilled } from "./lib/fill.ts";
import { ownCommand } from "./lib/own-command.ts";
import type { Phase } from "./lib/phase.ts";
import type { SearchBody } from "./lib/queries.ts";
import { Server } from "./lib/server.ts";
import { type Figure, printTable, round } from "./lib/stats.ts";
import { enqueue } from "./phases/enqueue.ts";
import { fetchClient } from "./phases/fetch-client.ts";
import { footprint } from "./phases/footprint.ts";
import { indexing } from "./phases/indexing.ts";
import { memory } from "./phases/memory.ts";
import { readsUnderWrites } from "./phases/reads-under-writes.ts";
import { search } from "./phases/search.ts";
import { searchUnderWrites } from "./phases/search-under-writes.ts";
import { smallWrites } from "./phases/small-writes.ts";

/** Run in this order, whatever was asked for: searches before anything changes the indexes, deletions last. */
const PHASES: Record<string, Phase> = {
  indexing,
  search,
  "fetch-client": fetchClient,
  "search-under-writes": searchUnderWrites,
  memory,
  "small-writes": smallWrites,
  enqueue,
  "reads-under-writes": readsUnderWrites,
  footprint,
};
/** All others find every corpus indexed and the server at rest. */
const FILL_THEMSELVES = ["indexing", "enqueue"];
/** Takes many minutes: only when asked for. */
const UNASKED = Object.keys(PHASES).filter((name) => name !== "memory");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string" },
    documents: { type: "string", default: "50000" },
    corpora: { type: "string" },
    phases: { type: "string", default: UNASKED.join(",") },
    seconds: { type: "string", default: "8" },
    searches: { type: "string", default: "1000000" },
    queries: { type: "string" },
    details: { type: "boolean", default: false },
    out: { type: "string", default: "perf/results/latest.json" },
  },
});
const chosen = new Set(values.phases.split(","));
for (const name of chosen) {
  if (!(name in PHASES)) throw new Error(`no phase ${name}: ${Object.keys(PHASES).join(", ")}`);
}
const wanted = values.corpora?.split(",") ?? null;
const corpora =
  values.data === undefined ? [syntheticCorpus(Number(values.documents))] : corporaIn(values.data, wanted);
if (corpora.length === 0) throw new Error(`no corpus in ${values.data}`);
const largest = corpora.reduce((a, b) => (a.documents > b.documents ? a : b));
const givenQueries: Record<string, SearchBody[]> =
  values.queries === undefined ? {} : JSON.parse(readFileSync(values.queries, "utf8"));
const targets: Server[] = [];
for (let i = 0; i < positionals.length; i += 2) targets.push(new Server(positionals[i]!, positionals[i + 1]!));
if (targets.length === 0) targets.push(new Server("sabre", ownCommand()));

const results: { name: string; figures: Figure[] }[] = [];
for (const server of targets) {
  const figures: Figure[] = [];
  results.push({ name: server.name, figures });
  const say = (text: string) => process.stderr.write(`${server.name}: ${text}\n`);
  const note =
    (detail: boolean) => (phase: string, name: string, unit: string, value: number, better: Figure["better"]) => {
      figures.push({ phase, name, unit, value, better, detail });
      if (!detail) say(`${phase} · ${name}: ${round(value, 3)} ${unit}`);
    };
  const report = note(false);
  const started = await server.start();
  if (server.ownsProcess) report("start", "empty directory to first answer", "ms", started, "less");
  try {
    for (const [name, phase] of Object.entries(PHASES)) {
      if (!chosen.has(name)) continue;
      if (!FILL_THEMSELVES.includes(name)) await ensureFilled({ server, corpora, say });
      await phase({
        server,
        corpora,
        largest,
        seconds: Number(values.seconds),
        searches: Number(values.searches),
        givenQueries,
        report,
        detail: note(true),
        say,
      });
    }
  } finally {
    await server.dispose();
  }
}
mkdirSync(path.dirname(values.out), { recursive: true });
writeFileSync(values.out, `${JSON.stringify({ date: new Date().toISOString(), results }, null, 2)}\n`);
process.stdout.write(`${printTable(results, values.details)}\n`);
