import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "../lib/temporary.ts";
import { type Ended, Project } from "./project.ts";

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const PASSING = 'import test from "node:test"; test("well", () => {}); test("later", { skip: true }, () => {});';

/** Long enough for a process to begin its first test on a busy machine. */
const HANGS_MS = 15_000;

interface Outcome extends Ended {
  project: Project;
  /** What is in the folder for temporary files afterwards. */
  left: string[];
}

/** Runs test files of the given content, by name, and scripts as checks. */
async function runTests(
  files: Record<string, string>,
  scripts: Record<string, string> = {},
  silenceMsMax = 120_000,
): Promise<Outcome> {
  const project = new Project({});
  const temporary = temporaryDirectory();
  symlinkSync(NODE_MODULES, project.file("node_modules"));
  writeFileSync(project.file("package.json"), JSON.stringify({ type: "module", scripts }));
  for (const [name, text] of Object.entries(files)) {
    const file = project.file(`test/${name}.test.ts`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const script = `
    import { TestRun, testFilesIn } from "./lib/test-run.mjs";
    const run = new TestRun(${JSON.stringify(project.root)}, { silenceMsMax: ${silenceMsMax} });
    process.exitCode = await run.run(testFilesIn(${JSON.stringify(project.root)}, []), ${JSON.stringify(Object.keys(scripts))}) ? 0 : 1;
  `;
  writeFileSync(project.file("scripts/run.mjs"), script);
  const ended = await project.run("run.mjs", { TMPDIR: temporary }).ended;
  return { ...ended, project, left: readdirSync(temporary) };
}

test("all well: status 0 and the closing lines of node:test, counted over all files", async () => {
  const { status, output, left } = await runTests({ a: PASSING, b: PASSING }, { lint: "true" });
  assert.equal(status, 0, output);
  assert.match(output, /^# tests 4\n# suites 0\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 2\n# todo 0\n/m);
  assert.match(output, /✔ lint/);
  assert.deepEqual(left, []);
});

test("what is left out is named with the reason, suites and tests alike", async () => {
  const suite =
    'import test, { describe } from "node:test"; describe("wide", { skip: "no browser" }, () => { test("a", () => {}); });';
  const { status, output } = await runTests({
    a: `${suite} test("well", () => {});`,
    b: `${PASSING} test("narrow", { skip: "no browser" }, () => {});`,
  });
  assert.equal(status, 0, output);
  assert.match(output, /^left out:\n {2}(wide, narrow|narrow, wide): no browser\n/m);
});

test("a failure is told with its reason, a failing check with what it printed", async () => {
  const failing = `${PASSING} test("outer", async (t) => { await t.test("ill", () => { throw new Error("the reason"); }); });`;
  const { status, output } = await runTests({ a: failing, b: PASSING }, { lint: "echo unlovely; false" });
  assert.equal(status, 1);
  assert.match(output, /✖ test\/a\.test\.ts: ill\n {4}Error: the reason/);
  assert.match(output, /✖ lint\n {4}unlovely/);
  assert.match(output, /^# pass 2\n# fail 2\n/m);
});

test("a file that ends without a word has failed", async () => {
  const { status, output } = await runTests({ "a/a": 'console.log("so far"); process.exit(3);', "b/b": "throw 1;" });
  assert.equal(status, 1);
  assert.match(output, /✖ test\/a\/a\.test\.ts: ended with status 3\n {4}so far/);
  assert.match(output, /^# pass 0\n# fail 2\n/m);
});

test("a file that hangs is ended with all that it started", { timeout: 180_000 }, async () => {
  const hanging = `
    import { spawn } from "node:child_process";
    import { writeFileSync } from "node:fs";
    import test from "node:test";
    test("hangs", async () => {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      writeFileSync("child", String(child.pid));
      await new Promise(() => {});
    });
  `;
  const { status, output, project } = await runTests({ "a/a": hanging, "b/b": PASSING }, {}, HANGS_MS);
  assert.equal(status, 1);
  assert.match(output, /✖ test\/a\/a\.test\.ts: ended by force: nothing to tell for 15 s, last begun: hangs/);
  assert.match(output, /^# pass 1\n/m);
  assert.equal(lives(readFileSync(project.file("child"), "utf8")), false);
});

test("files of a folder share a process, one with hooks of its own does not, and no thread runs them again", async () => {
  const pid = (hook: string) => `
    import { once } from "node:events";
    import { appendFileSync } from "node:fs";
    import test, { before } from "node:test";
    import { Worker } from "node:worker_threads";
    test("tells", async () => {
      appendFileSync("pids", process.pid + "\\n");
      await once(new Worker("", { eval: true }), "exit");
    });
${hook}`;
  const { output, project } = await runTests({ a: pid(""), b: pid(""), c: pid("before(() => {});\n") });
  assert.match(output, /^# pass 3\n/m);
  const pids = readFileSync(project.file("pids"), "utf8").trim().split("\n");
  assert.equal(pids.length, 3);
  assert.equal(new Set(pids).size, 2);
});

test("what a test leaves in the temporary folder is named and removed", async () => {
  const untidy = `${PASSING} import { mkdtempSync } from "node:fs"; import os from "node:os"; mkdtempSync(os.tmpdir() + "/litter-");`;
  const { status, output, left } = await runTests({ a: untidy });
  assert.equal(status, 1);
  assert.match(output, /✖ left in the temporary folder: litter-/);
  assert.deepEqual(left, []);
});

/** A process that has ended but was not waited for is no living one. */
function lives(pid: string): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, "utf8"));
}
