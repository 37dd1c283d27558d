import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { missingCompilerSettings } from "../../../src/server/cli/compiler-settings.ts";
import { MEMORY_SETTINGS, missingMemorySettings } from "../../../src/server/cli/memory-settings.ts";
import { until } from "../../lib/patience.ts";
import { portOf } from "../../lib/server.ts";
import { endsWithTests, temporaryDirectory } from "../../lib/temporary.ts";

const FOLDER = temporaryDirectory();

const LAUNCH = fileURLToPath(new URL("../../../dist/launch.js", import.meta.url));
/** All that a process should be started with here. */
const ALL_SETTINGS = { ...MEMORY_SETTINGS, ...missingCompilerSettings({}, []) };
const LINUX = process.platform === "linux";
/** Node as it is, and as it was before it could replace a process. */
const WAYS: [string, string[]][] = [["through a child", ["--import", "data:text/javascript,delete process.execve"]]];
if ("execve" in process) WAYS.push(["in the place of the launcher", []]);

interface Launched {
  child: ChildProcess;
  /** Of the server itself. */
  pid: number;
  exit: Promise<[number | null, NodeJS.Signals | null]>;
}

function environment(set: Record<string, string> = {}): NodeJS.ProcessEnv {
  const env = { ...process.env, ...set };
  for (const name of Object.keys(ALL_SETTINGS)) if (!(name in set)) delete env[name];
  return env;
}

async function launch(nodeArgs: string[], set: Record<string, string> = {}): Promise<Launched> {
  const directory = mkdtempSync(path.join(FOLDER, "server-"));
  const args = ["--http-addr", "127.0.0.1:0", "--db-path", path.join(directory, "db"), "--readers", "1", "--no-warmup"];
  const child = endsWithTests(
    spawn(process.execPath, [...nodeArgs, LAUNCH, ...args], {
      cwd: directory,
      stdio: ["ignore", "inherit", "pipe"],
      env: environment(set),
    }),
  );
  const exit = once(child, "exit") as Launched["exit"];
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  assert.notEqual(await portOf(child, () => output), null, output);
  const lock = readFileSync(path.join(directory, "db", "LOCK"), "utf8");
  return { child, pid: Number(/^process (\d+) on /.exec(lock)?.[1]), exit };
}

/** Of the process itself: what it was started with, not what it makes of it. */
function startedWith(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

async function gone(pid: number): Promise<void> {
  await until(
    () => !existsSync(`/proc/${pid}`),
    () => `process ${pid} ends`,
  );
}

for (const [way, nodeArgs] of WAYS) {
  const options = { skip: LINUX ? false : "no C library here reads the settings", timeout: 180_000 };

  test(`the server gets its settings and its signals (${way})`, options, async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const { child, pid, exit } = await launch(nodeArgs);
      const env = startedWith(pid);
      for (const [name, value] of Object.entries(ALL_SETTINGS)) assert.equal(env[name], value);
      child.kill(signal);
      assert.deepEqual(await exit, [0, null]);
      await gone(pid);
    }
  });

  test(`the end of the server is the end of its launcher (${way})`, options, async () => {
    const { pid, exit } = await launch(nodeArgs);
    process.kill(pid, "SIGKILL");
    assert.deepEqual(await exit, [null, "SIGKILL"]);
    const wrong = spawn(process.execPath, [...nodeArgs, LAUNCH, "--nonsense"], { stdio: "ignore", env: environment() });
    assert.deepEqual(await once(wrong, "exit"), [2, null]);
  });

  test(`no server is left behind when its launcher is killed (${way})`, options, async () => {
    const { child, pid } = await launch(nodeArgs);
    child.kill("SIGKILL");
    await gone(pid);
  });

  test(`what the user set stays (${way})`, options, async () => {
    const { child, pid, exit } = await launch(nodeArgs, { MALLOC_ARENA_MAX: "7" });
    const env = startedWith(pid);
    assert.deepEqual([env["MALLOC_ARENA_MAX"], env["MALLOC_TRIM_THRESHOLD_"]], ["7", "1048576"]);
    child.kill();
    await exit;
  });

  test(`one that has all it needs is not started again (${way})`, options, async () => {
    const { child, pid, exit } = await launch(nodeArgs, ALL_SETTINGS);
    assert.equal(pid, child.pid);
    child.kill();
    await exit;
  });
}

test("two signals at once are one wish to stop", { timeout: 180_000 }, async () => {
  const { child, exit } = await launch([], ALL_SETTINGS);
  child.kill("SIGINT");
  child.kill("SIGTERM");
  assert.deepEqual(await exit, [0, null]);
});

test("a command that is no server runs without a second start", async () => {
  const count = "data:text/javascript,process.stdout.write(`started\\n`)";
  const child = spawn(process.execPath, ["--import", count, LAUNCH, "health", "--version"], { env: environment() });
  const [output] = await Promise.all([child.stdout.toArray(), once(child, "exit")]);
  assert.match(Buffer.concat(output).toString(), /^started\nsabre-search [\d.]+\n$/);
});

test("memory settings are missing only where the user chose none", () => {
  assert.deepEqual(missingMemorySettings({}), MEMORY_SETTINGS);
  assert.deepEqual(missingMemorySettings({ ...MEMORY_SETTINGS }), {});
  assert.deepEqual(missingMemorySettings({ GLIBC_TUNABLES: "glibc.malloc.arena_max=1" }), {});
  assert.deepEqual(missingMemorySettings({ GLIBC_TUNABLES: "glibc.rtld.nns=1" }), MEMORY_SETTINGS);
});

test("the engine gets a core less than there are, where the user chose nothing else", () => {
  assert.deepEqual(missingCompilerSettings({}, [], 1), { NODE_OPTIONS: "--v8-pool-size=1" });
  assert.deepEqual(missingCompilerSettings({}, [], 2), { NODE_OPTIONS: "--v8-pool-size=1" });
  assert.deepEqual(missingCompilerSettings({ NODE_OPTIONS: "--no-warnings" }, [], 4), {
    NODE_OPTIONS: "--no-warnings --v8-pool-size=3",
  });
  assert.deepEqual(missingCompilerSettings({}, [], 5), {});
  assert.deepEqual(missingCompilerSettings({ NODE_OPTIONS: "--v8-pool-size=2" }, [], 2), {});
  assert.deepEqual(missingCompilerSettings({}, ["--v8-pool-size=2"], 2), {});
});
