/** The load generator `wrk`: its script, its command line, its report. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { LoadResult, NumberedPlan } from "./load.ts";
import { NUMBER_PLACE } from "./numbered.ts";

const MS_OF_UNIT: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

export async function wrkLoad(plan: NumberedPlan): Promise<LoadResult> {
  const { address, connections, until } = plan;
  if (!("seconds" in until)) throw new Error("wrk runs for a time, not for a number of answers");
  const folder = mkdtempSync(path.join(os.tmpdir(), "perf-wrk-"));
  const script = path.join(folder, "requests.lua");
  writeFileSync(script, luaScript(plan));
  const base = `http://${address.host}:${address.port}`;
  const options = [
    "-t1",
    `-c${connections}`,
    `-d${until.seconds}s`,
    "--timeout",
    "30s",
    "--latency",
    "-s",
    script,
    base,
  ];
  try {
    const { stdout } = await promisify(execFile)("wrk", options);
    return readReport(stdout, until.seconds);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function luaScript({ key, requests, firstNumber }: NumberedPlan): string {
  return [
    'wrk.method = "POST"',
    'wrk.headers["content-type"] = "application/json"',
    `wrk.headers["authorization"] = ${luaText(`Bearer ${key}`)}`,
    `local paths = {${requests.map((request) => luaText(request.path)).join(",")}}`,
    `local bodies = {${requests.map((request) => luaText(request.body)).join(",")}}`,
    "local at = 0",
    `local number = ${firstNumber}`,
    "request = function()",
    "  at = at % #bodies + 1",
    "  number = number + 1",
    `  local body = string.gsub(bodies[at], "${NUMBER_PLACE}", string.format("%0${NUMBER_PLACE.length}d", number))`,
    "  return wrk.format(nil, paths[at], nil, body)",
    "end",
    "",
  ].join("\n");
}

/** Everything but plain characters by number: a query may hold whatever ends a Lua text. */
export function luaText(text: string): string {
  let quoted = "";
  for (const byte of Buffer.from(text)) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    quoted += plain ? String.fromCharCode(byte) : `\\${byte.toString().padStart(3, "0")}`;
  }
  return `"${quoted}"`;
}

export function readReport(report: string, seconds: number): LoadResult {
  const number = (pattern: RegExp): number => Number(pattern.exec(report)?.[1] ?? 0);
  const duration = (pattern: RegExp): number => {
    const found = pattern.exec(report);
    return found === null ? Number.NaN : Number(found[1]) * MS_OF_UNIT[found[2]!]!;
  };
  const rate = number(/Requests\/sec:\s+([\d.]+)/);
  const socketErrors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(report);
  const failed = socketErrors === null ? 0 : socketErrors.slice(1).reduce((sum, count) => sum + Number(count), 0);
  return {
    answers: Math.round(rate * seconds),
    seconds,
    p50Ms: duration(/\s50%\s+([\d.]+)(us|ms|s|m)\b/),
    p99Ms: duration(/\s99%\s+([\d.]+)(us|ms|s|m)\b/),
    refused: number(/Non-2xx or 3xx responses: (\d+)/) + failed,
  };
}
