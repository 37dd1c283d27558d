/** Runs a command of the built program to its end. */
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

export const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
  milliseconds: number;
}

/** Not synchronously: the server it talks to may be one of this very process. */
export function runMain(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const begin = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env }, cwd: tmpdir() });
  const outcome: Outcome = { status: null, stdout: "", stderr: "", milliseconds: 0 };
  child.stdout.on("data", (chunk) => {
    outcome.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    outcome.stderr += chunk;
  });
  return new Promise((resolve) => {
    child.once("close", (status) => resolve({ ...outcome, status, milliseconds: performance.now() - begin }));
  });
}
