/**
 * Many connections that ask one after the other, each as fast as it is answered: `wrk` where it is installed (it takes the
 * least of the machine that is measured), otherwise a process of our own. Says what came back; what it means is up to the phase.
 */
import { execFileSync, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Address } from "./connection.ts";
import { wrkLoad } from "./load-wrk.ts";
import { takeNumbers } from "./numbered.ts";

interface LoadRequest {
  path: string;
  /** Where it has a place for a number, every request gets another one. */
  body: string;
}

interface LoadPlan {
  address: Address;
  key: string;
  requests: LoadRequest[];
  connections: number;
  /** Ends after this time, or after this many answers. */
  until: { seconds: number } | { answers: number };
}

/** A plan as the generators get it. */
export interface NumberedPlan extends LoadPlan {
  firstNumber: number;
}

export interface LoadResult {
  answers: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that are refusals. */
  refused: number;
}

/** More than one run can send. */
const NUMBERS_PER_RUN = 1_000_000;

let hasWrk: boolean | null = null;

export function generatorName(): string {
  hasWrk ??= isInstalled("wrk");
  return hasWrk ? "wrk" : "own process";
}

/** Any refused request makes the figures worthless: it throws. */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const useWrk = "seconds" in plan.until && generatorName() === "wrk";
  const numberedPlan = { ...plan, firstNumber: takeNumbers(NUMBERS_PER_RUN) };
  const result = useWrk ? await wrkLoad(numberedPlan) : await ownLoad(numberedPlan);
  if (result.refused > 0) throw new Error(`${result.refused} of ${result.answers} answers were refusals`);
  return result;
}

function ownLoad(plan: NumberedPlan): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL("./load-process.ts", import.meta.url)));
    child.once("message", (result: LoadResult) => resolve(result));
    child.once("exit", (code) => reject(new Error(`the load process ended with ${code}`)));
    child.send(plan);
  });
}

function isInstalled(command: string): boolean {
  try {
    execFileSync("which", [command], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
