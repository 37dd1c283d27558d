/**
 * Our engine and search libraries for JavaScript on the same documents, all without HTTP, each in one thread of a process of
 * its own. Prints build times and the middle time of each kind of search.
 *
 *   npm ci --prefix perf
 *   node --import tsx perf/libraries.ts [--data DIR] [--corpus UID] [--documents N] [--only a,b]
 */

import { fork } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import type { JsonObject } from "../src/base/json/value.ts";

import { type Corpus, corporaIn, spreadDocuments, syntheticCorpus } from "./lib/corpus.ts";
import { derivedQueries } from "./lib/derived-queries.ts";
import { layOut, round } from "./lib/stats.ts";
import type { ContendPlan, ContendResult } from "./libraries/contend.ts";
import { type Document, facetValues, type Query, SEARCH_CLASSES, type SearchClass } from "./libraries/contender.ts";

const CONTENDERS = ["sabre", "minisearch", "orama", "sqlite"];
const QUERIES_PER_CLASS = 2000;
/** Libraries that keep everything in the heap need more of it than a process has by itself. */
const ENGINE_OPTIONS = ["--max-old-space-size=12000"];

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    corpus: { type: "string", default: "packages" },
    documents: { type: "string", default: "100000" },
    only: { type: "string", default: CONTENDERS.join(",") },
  },
});

const documentsMax = Number(values.documents);
const corpus = values.data === undefined ? syntheticCorpus(documentsMax) : corporaIn(values.data, [values.corpus])[0];
if (corpus === undefined) throw new Error(`no corpus ${values.corpus} in ${values.data}`);
const documents = spreadDocuments(corpus, documentsMax) as Document[];
const folder = mkdtempSync(path.join(os.tmpdir(), "perf-libraries-"));
const documentsFile = path.join(folder, "documents.ndjson");
writeFileSync(documentsFile, documents.map((document) => `${JSON.stringify(document)}\n`).join(""));

const file = await bundle();
const results: ContendResult[] = [];
try {
  for (const contender of values.only.split(",")) {
    if (!CONTENDERS.includes(contender)) throw new Error(`no contender ${contender}: ${CONTENDERS.join(", ")}`);
    process.stderr.write(`${contender}…\n`);
    const result = await contend(file, {
      contender,
      documentsFile,
      queries: queriesFor(corpus, documents),
      settings: corpus.settings as JsonObject,
      searchable: corpus.searchable,
      facet: corpus.facet,
      folder,
    });
    if (result === null) process.stderr.write(`${contender} is not installed: npm ci --prefix perf\n`);
    else results.push(result);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(
  `${documents.length} documents of ${corpus.uid}; p50 in ms, and how many times that of the first\n`,
);
process.stdout.write(`\nEach query asked once, after others of its kind:\n${table(results, "onceMs")}\n`);
process.stdout.write(`\nThe same queries again and again:\n${table(results, "againMs")}\n`);

function queriesFor(of: Corpus, among: Document[]): Record<SearchClass, Query[]> {
  const words = derivedQueries(of, QUERIES_PER_CLASS);
  const counts = new Map<string, number>();
  for (const document of among) {
    for (const value of facetValues(document, of.facet)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const mostUsed = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
  const plain = (texts: string[]) => texts.map((text) => ({ text, value: null }));
  return {
    "common word": plain(words["common word"]),
    "one letter": plain(words["one letter"]),
    prefix: plain(words.prefix),
    "two words": plain(words["two words"]),
    typo: plain(words.typo),
    phrase: plain(words.phrase),
    "filter + facet": words["common word"].map((text) => ({ text, value: mostUsed })),
  };
}

/** As one file, the way the server is built: what runs from source is slowed down by what keeps its names. */
async function bundle(): Promise<string> {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const outfile = path.join(here, ".bundle", "contend.js");
  await build({
    entryPoints: [path.join(here, "libraries", "contend.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
  });
  cpSync(path.join(here, "..", "src", "base", "text", "data"), path.join(here, ".bundle", "data"), { recursive: true });
  return outfile;
}

function contend(file: string, plan: ContendPlan): Promise<ContendResult | null> {
  return new Promise((resolve, reject) => {
    const child = fork(file, { execArgv: ENGINE_OPTIONS });
    child.once("message", (message: { result: ContendResult | null }) => resolve(message.result));
    child.once("exit", (code) => reject(new Error(`${plan.contender} ended with ${code}`)));
    child.send(plan);
  });
}

/** A dash where an engine has no such search; a star where it found nothing at all. */
function table(all: ContendResult[], figure: "onceMs" | "againMs"): string {
  const row = (name: string, values: (number | undefined)[], marks: string[]): string[] => [
    name,
    ...values.map((value, i) => {
      if (value === undefined) return "–";
      const ratio = i === 0 || values[0] === undefined ? "" : ` (${round(value / values[0], 1)}×)`;
      return `${round(value, 3)}${marks[i] ?? ""}${ratio}`;
    }),
  ];
  const builds = all.map(({ buildSeconds }) => buildSeconds);
  const rows = SEARCH_CLASSES.map((kind) => {
    const classes = all.map((result) => result.classes[kind]);
    const marks = classes.map((found) => (found?.hits === 0 ? "*" : ""));
    return row(
      kind,
      classes.map((found) => found?.[figure]),
      marks,
    );
  });
  return layOut(["", ...all.map(({ name }) => name)], [row("build, s", builds, []), ...rows], 1);
}
