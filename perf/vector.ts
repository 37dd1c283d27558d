/**
 * Our vector search and libraries with native code on the same vectors, all on one thread: how fast cells are found, and
 * how long a search takes where the others find as much as ours does.
 *
 *   npm ci --prefix perf
 *   node --import tsx perf/vector.ts [--vectors N] [--dimensions N] [--floats FILE] [--graph]
 *
 * FILE: single-precision numbers, vectors side by side; those behind the first N are the queries. Without it, vectors are
 * made up. With --graph, ours has a graph in place of cells.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { mulberry32 } from "./lib/random.ts";
import { layOut, quantile, round } from "./lib/stats.ts";
import { type Contender, exactNearest, type VectorSet } from "./vectors/contender.ts";
import { hnswlibContender, usearch } from "./vectors/others.ts";
import { Sabre } from "./vectors/sabre.ts";

const QUERIES = 100;
const WANTED = 10;
/** Filters keep every n-th vector. */
const FILTERS = [1, 2, 10, 100, 1000];
const REPEATS = 2;
/** Searches before those that are timed go on for so long. */
const WARM_UP_MS = 300;
/** More than this the others need not find: beyond it their time grows without end. */
const RECALL_ENOUGH = 0.98;
const CLUSTERS = 500;
const SPREAD = 0.5;

const { values } = parseArgs({
  options: {
    vectors: { type: "string", default: "50000" },
    dimensions: { type: "string", default: "100" },
    floats: { type: "string" },
    graph: { type: "boolean", default: false },
  },
});
const dimensions = Number(values.dimensions);
const count = Number(values.vectors);
const set = values.floats === undefined ? madeUp() : fromFile(values.floats);

function fromFile(file: string): VectorSet {
  const bytes = new Uint8Array(readFileSync(file));
  const floats = new Float32Array(bytes.buffer);
  const rest = floats.length / dimensions - count;
  if (rest < QUERIES) throw new Error(`${file} has too few vectors for ${count} and ${QUERIES} queries`);
  const queries = Array.from({ length: QUERIES }, (_, i) => {
    const at = count + Math.floor((i * rest) / QUERIES);
    return floats.slice(at * dimensions, (at + 1) * dimensions);
  });
  return { dimensions, count, floats, queries };
}

/** Vectors around centres, some nearer to theirs than others. */
function madeUp(): VectorSet {
  const random = mulberry32(5);
  const bell = (): number => random() + random() + random() + random() - 2;
  const centres = Float32Array.from({ length: CLUSTERS * dimensions }, bell);
  const all = new Float32Array((count + QUERIES) * dimensions);
  for (let i = 0; i < count + QUERIES; i++) {
    const centre = Math.floor(random() * CLUSTERS) * dimensions;
    const spread = SPREAD * (0.5 + random());
    for (let d = 0; d < dimensions; d++) all[i * dimensions + d] = centres[centre + d]! + bell() * spread;
  }
  const queries = Array.from({ length: QUERIES }, (_, i) =>
    all.slice((count + i) * dimensions, (count + i + 1) * dimensions),
  );
  return { dimensions, count, floats: all, queries };
}

const truth = new Map(
  FILTERS.map((every) => [every, set.queries.map((query) => exactNearest(set, query, WANTED, every))]),
);

interface Found {
  recall: number;
  micros: number;
}

/** Null where the contender cannot filter. */
function recallOf(contender: Contender, every: number): number | null {
  let hits = 0;
  for (const [i, query] of set.queries.entries()) {
    const found = contender.search(query, WANTED, every);
    if (found === null) return null;
    for (const id of Array.from(found)) if (truth.get(every)![i]!.has(id)) hits++;
  }
  return hits / (QUERIES * WANTED);
}

/** With the least effort that finds as much as asked for. */
function measure(contender: Contender, every: number, wantedRecall: number): Found | null {
  let recall: number | null = null;
  for (const effort of contender.efforts) {
    contender.setEffort(effort);
    recall = recallOf(contender, every);
    if (recall === null) return null;
    if (recall >= wantedRecall) break;
  }
  const warm = performance.now() + WARM_UP_MS;
  for (let i = 0; performance.now() < warm; i++) contender.search(set.queries[i % QUERIES]!, WANTED, every);
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const query of set.queries) {
      const begun = performance.now();
      contender.search(query, WANTED, every);
      times.push((performance.now() - begun) * 1000);
    }
  }
  return { recall: recall!, micros: quantile(times, 0.5) };
}

function build(contender: Contender): number {
  const before = process.cpuUsage();
  contender.build(set);
  const { user, system } = process.cpuUsage(before);
  return count / ((user + system) / 1e6);
}

const sabre = new Sabre(values.graph ? "graphs" : "cells");
const contenders: Contender[] = [sabre];
for (const [name, open] of Object.entries({ "hnswlib-node": hnswlibContender, usearch })) {
  const contender = await open();
  if (contender === null) console.error(`${name} is not installed: npm ci --prefix perf`);
  else contenders.push(contender);
}
try {
  sabre.prepare(set);
  const rates = contenders.map(build);
  const rows = [["build, vectors a second", ...withRatios(rates, "more")]];
  for (const every of FILTERS) {
    const own = measure(sabre, every, 1)!;
    const others = contenders
      .slice(1)
      .map((contender) => measure(contender, every, Math.min(own.recall, RECALL_ENOUGH)));
    const all = [own, ...others];
    const name = every === 1 ? "search" : `search, filter keeps 1 in ${every}`;
    rows.push([
      `${name}: microseconds`,
      ...withRatios(
        all.map((found) => found?.micros ?? Number.NaN),
        "less",
      ),
    ]);
    rows.push([
      `${name}: recall@${WANTED}`,
      ...all.flatMap((found, i) => [found === null ? "-" : `${round(found.recall, 3)}`, ...(i === 0 ? [] : [""])]),
    ]);
  }
  const header = contenders.flatMap(({ name }, i) => (i === 0 ? [name] : [name, "ratio"]));
  console.log(`${count} vectors of ${dimensions} dimensions, one thread; ratio: how many times better ours is`);
  console.log(layOut(["figure", ...header], rows, 1));
  console.log(`memory: ${round(sabre.memoryRatio, 2)} × the floats (floats, codes, sketches and what was built)`);
} finally {
  for (const contender of contenders) contender.close();
}

/** Each figure, and behind those of others how many times better the first is. */
function withRatios(figures: readonly number[], better: "less" | "more"): string[] {
  const [own] = figures;
  return figures.flatMap((figure, i) => {
    const text = Number.isNaN(figure) ? "-" : `${round(figure, figure < 100 ? 1 : 0)}`;
    if (i === 0) return [text];
    const ratio = better === "less" ? figure / own! : own! / figure;
    return [text, Number.isNaN(ratio) ? "-" : `${round(ratio, 2)}`];
  });
}
