/**
 * Whole answers of one thread, without HTTP, to what the people of many customers type: no question twice, each with a
 * filter, facets and highlighting. Prints the CPU of a question and a hash of all answers, which must stay the same.
 * `node --import tsx perf/tenants.ts FILE FIELD SEARCHABLE FACET NUMBER|- [segments] [questions] [without]`
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseSearch } from "../src/base/contract/search.ts";
import { clockMs } from "../src/base/time/clock.ts";
import { runSearch } from "../src/engine/reader/search.ts";
import type { RequestContext } from "../src/engine/reader/task.ts";
import { arenaIndex } from "./lib/arena-index.ts";
import { tenantsQuestions, typedQuestions } from "./lib/typed.ts";

const WARM_SHARE = 0.5;
const [file, field, searchable, facet, number, segments = "1", questions = "6000", without = ""] =
  process.argv.slice(2);
const lines = readFileSync(file!, "utf8").trimEnd().split("\n");
const filterable = number === "-" ? [facet!] : [facet!, number!];
const settings = { searchableAttributes: searchable!.split(","), filterableAttributes: filterable };
const view = arenaIndex(lines, settings, Number(segments));
const snapshot = {
  epoch: 1,
  index: () => view,
  indexes: () => [view],
  known: () => [view],
  release: () => undefined,
};
const context: RequestContext = { snapshot: () => snapshot, canceled: () => false, countDegraded: () => undefined };
const left = new Set(without.split(","));

const hash = createHash("sha1");

function ask(body: Record<string, unknown>): void {
  const call = { arrivedAt: clockMs(), dropAfterMs: 1e9, requestUid: "", includeMetadata: false, coding: null };
  const { answer } = runSearch({ indexUid: "measured", query: parseSearch(body), call } as never, context);
  hash.update(answer.body.subarray(0, answer.timeAt)).update(answer.body.subarray(answer.timeEnd));
}

const count = Number(questions);
const asked = typedQuestions(lines, field!, Math.ceil(count * (1 + WARM_SHARE)));
const bodies = tenantsQuestions(asked, lines, facet!, number === "-" ? null : number!).map((all) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !left.has(name))),
);
for (const body of bodies.slice(count)) ask(body);
const before = process.cpuUsage();
const started = performance.now();
for (const body of bodies.slice(0, count)) ask(body);
const { system, user } = process.cpuUsage(before);
const micros = (total: number): string => (total / count).toFixed(0);
console.log(
  `CPU ${micros(system + user)} µs, wall ${micros((performance.now() - started) * 1000)} µs; ${hash.digest("hex")}`,
);
