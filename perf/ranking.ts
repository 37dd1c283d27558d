/**
 * Times ranking alone, without the way in and out, for questions as people type them, none asked twice.
 * `node --import tsx perf/ranking.ts FILE FIELD SEARCHABLE [segments] [questions]`
 */
import { readFileSync } from "node:fs";
import { rankSearch } from "../src/engine/rank/search.ts";
import { arenaIndex } from "./lib/arena-index.ts";
import { BLANK_REQUEST } from "./lib/blank-request.ts";
import { typedQuestions } from "./lib/typed.ts";

const COLD = 200;
const WARM = 1500;
const [file, field, searchable, segments = "1", questions = "5000"] = process.argv.slice(2);
const lines = readFileSync(file!, "utf8").trimEnd().split("\n");
const view = arenaIndex(lines, { searchableAttributes: searchable!.split(",") }, Number(segments));
const live = view.segments.map((segment) => segment.live);

function ask(q: string): number {
  const started = performance.now();
  rankSearch(view, live, { ...BLANK_REQUEST, q });
  return (performance.now() - started) * 1000;
}

function show(label: string, micros: number[]): void {
  const sorted = [...micros].sort((a, b) => a - b);
  const mean = micros.reduce((sum, one) => sum + one, 0) / micros.length;
  const at = (share: number): string => sorted[Math.floor(sorted.length * share)]!.toFixed(0);
  const figures = `mean ${mean.toFixed(0)}  p50 ${at(0.5)}  p90 ${at(0.9)}  p99 ${at(0.99)}  max ${sorted.at(-1)!.toFixed(0)}`;
  console.log(`${label.padEnd(28)} ${figures}  (µs)`);
}

const asked = typedQuestions(lines, field!, Number(questions) + WARM);
const before = asked.slice(0, WARM).map(ask);
const cpu = process.cpuUsage();
const times = [...before, ...asked.slice(WARM).map(ask)];
const { system, user } = process.cpuUsage(cpu);
show("the very first", times.slice(0, 1));
show(`the first ${COLD}`, times.slice(0, COLD));
show("warm", times.slice(WARM));
console.log(`CPU of a question               ${((system + user) / Number(questions)).toFixed(0)} µs`);
