/** One engine of the comparison in a process of its own: gets a plan, builds, searches, sends what it measured, ends. */
import { readFileSync } from "node:fs";
import { shuffled } from "../lib/random.ts";
import { quantile } from "../lib/stats.ts";
import type { Collection, Contender, Document, Query, SearchClass } from "./contender.ts";
import { miniSearch } from "./minisearch.ts";
import { orama } from "./orama.ts";
import { sabre } from "./sabre.ts";
import { sqlite } from "./sqlite.ts";

const CONTENDERS: Record<string, (collection: Collection) => Promise<Contender | null> | Contender | null> = {
  sabre,
  minisearch: miniSearch,
  orama,
  sqlite,
};

/** Everything but the documents, which are in a file, one a line. */
export interface ContendPlan extends Omit<Collection, "documents"> {
  contender: string;
  documentsFile: string;
  queries: Record<SearchClass, Query[]>;
}

export interface ContendResult {
  name: string;
  buildSeconds: number;
  classes: Partial<Record<SearchClass, ClassResult>>;
}

interface ClassResult {
  /** Of the middle search: of queries never asked before, and of the same ones again. */
  onceMs: number;
  againMs: number;
  /** Documents found by the queries of the class, each asked once. */
  hits: number;
}

const WARM_UP_MS = 2000;
const ONCE_MS_MAX = 20_000;
const AGAIN_MS = 1500;
const SEARCHES_MIN = 5;
const MEASURED_SHARE = 0.25;

async function contend(plan: ContendPlan): Promise<ContendResult | null> {
  const lines = readFileSync(plan.documentsFile, "utf8").trimEnd().split("\n");
  const documents = lines.map((line) => JSON.parse(line) as Document);
  const contender = await CONTENDERS[plan.contender]!({ ...plan, documents });
  if (contender === null) return null;
  const begin = performance.now();
  await contender.build();
  const result: ContendResult = {
    name: contender.name,
    buildSeconds: (performance.now() - begin) / 1000,
    classes: {},
  };
  for (const kind of contender.classes) {
    result.classes[kind] = await measure(contender, kind, plan.queries[kind]);
  }
  return result;
}

/** The compiler gets warm with queries of the same kind that are not measured. */
async function measure(contender: Contender, kind: SearchClass, queries: Query[]): Promise<ClassResult> {
  const mixed = shuffled(queries);
  const measured = mixed.slice(0, Math.ceil(mixed.length * MEASURED_SHARE));
  await ask(contender, kind, mixed.slice(measured.length), WARM_UP_MS, Number.POSITIVE_INFINITY);
  const once = await ask(contender, kind, measured, ONCE_MS_MAX, 1);
  const again = await ask(contender, kind, measured, AGAIN_MS, Number.POSITIVE_INFINITY);
  return { onceMs: quantile(once.times, 0.5), againMs: quantile(again.times, 0.5), hits: once.hits };
}

interface Asked {
  times: number[];
  hits: number;
}

/** Passes over the queries until there were enough or the time is up, but for a few searches in any case. */
async function ask(
  contender: Contender,
  kind: SearchClass,
  queries: Query[],
  msMax: number,
  passes: number,
): Promise<Asked> {
  const asked: Asked = { times: [], hits: 0 };
  const end = performance.now() + msMax;
  for (let i = 0; i < queries.length * passes; i++) {
    const query = queries[i % queries.length]!;
    const begin = performance.now();
    if (begin >= end && i >= SEARCHES_MIN) break;
    const answer = await contender.search(query, kind);
    asked.times.push(performance.now() - begin);
    asked.hits += contender.hits(answer);
  }
  return asked;
}

process.once("message", async (plan: ContendPlan) => {
  const result = await contend(plan);
  process.send?.({ result }, () => process.exit());
});
