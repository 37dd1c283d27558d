import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "../../lib/temporary.ts";

const MAIN = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
const LOADER = import.meta.resolve("tsx");

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const cwd = temporaryDirectory();
  const outcome = spawnSync(process.execPath, ["--import", LOADER, MAIN, ...args], { cwd, encoding: "utf8" });
  return { status: outcome.status, stdout: outcome.stdout, stderr: outcome.stderr };
}

test("--help and --version print and end well", () => {
  const help = run("--help");
  assert.equal(help.status, 0);
  assert.match(help.stdout, /--db-path <path>/);
  assert.match(run("--version").stdout, /^sabre-search \d+\.\d+\.\d+\n$/);
});

test("a wrong option is one line on stderr and status 2", () => {
  for (const args of [["--nonsense"], ["--env", "staging"], ["--env", "production"], ["--http-addr", "x"]]) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /^sabre-search: [^\n]+\n$/);
  }
});
