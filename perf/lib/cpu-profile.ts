/**
 * Profiles that `node --cpu-prof` writes, one a thread: where the thread was found at each sample of a span of time, as
 * functions and source files from the innermost out. What that means is up to the caller.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

export interface Frame {
  name: string;
  /** From the folder of the sources, `engine/link/ring.ts`; otherwise what the profile says, empty for what is built in. */
  file: string;
}

export interface Sample {
  stack: readonly Frame[];
  /** Until the next one. */
  micros: number;
}

interface Profile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  /** On the clock of `process.hrtime`. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

/** By thread, the first one first: the samples between two times, which are microseconds of `process.hrtime`. */
export function samplesBetween(folder: string, pid: number, from: number, to: number): Sample[][] {
  const threadOf = (name: string): number => Number(name.split(".")[4]);
  return readdirSync(folder)
    .filter((name) => name.split(".")[3] === String(pid))
    .sort((a, b) => threadOf(a) - threadOf(b))
    .map((name) => {
      const profile = JSON.parse(readFileSync(path.join(folder, name), "utf8")) as Profile;
      return samplesOf(profile, from, to);
    });
}

function samplesOf({ nodes, samples, startTime, timeDeltas }: Profile, from: number, to: number): Sample[] {
  const stacks = stacksOf(nodes);
  const kept: Sample[] = [];
  let at = startTime;
  for (let i = 0; i < samples.length; i++) {
    at += timeDeltas[i]!;
    if (at >= from && at < to) kept.push({ stack: stacks.get(samples[i]!)!, micros: timeDeltas[i + 1] ?? 0 });
  }
  return kept;
}

function stacksOf(nodes: Profile["nodes"]): Map<number, Frame[]> {
  const parents = new Map<number, number>();
  for (const { id, children } of nodes) for (const child of children ?? []) parents.set(child, id);
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, frameOf(callFrame)]));
  const stacks = new Map<number, Frame[]>();
  for (const { id } of nodes) {
    const stack: Frame[] = [];
    for (let node: number | undefined = id; node !== undefined; node = parents.get(node)) stack.push(frames.get(node)!);
    stacks.set(id, stack);
  }
  return stacks;
}

const maps = new Map<string, SourceMap | null>();

function frameOf({ columnNumber, functionName, lineNumber, url }: CallFrame): Frame {
  const map = mapOf(url);
  if (map === null) return { name: functionName, file: url };
  const entry = map.findEntry(lineNumber, columnNumber);
  const source = "originalSource" in entry ? entry.originalSource : url;
  const inSources = /(?:^|\/)src\/(.*)$/.exec(source);
  return { name: functionName, file: inSources?.[1] ?? source };
}

function mapOf(url: string): SourceMap | null {
  if (!url.startsWith("file:") && !path.isAbsolute(url)) return null;
  let map = maps.get(url);
  if (map === undefined) {
    const file = `${path.isAbsolute(url) ? url : fileURLToPath(url)}.map`;
    map = existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, "utf8"))) : null;
    maps.set(url, map);
  }
  return map;
}
