// Runs lint, type check and test files side by side, a few at a time, in a temporary folder of their own that must be empty
// again at the end. Tells how far it is, failures at once, and closes with the summary that node:test gives.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { isLive, LiveLine, painter, seconds } from "./progress.mjs";
import { endAll, NO_TESTS, runGroup, runTestFiles } from "./test-file.mjs";

/** Begun before all others, in one process: these take longest and mostly wait, but beside each other would wait too long. */
const LONGEST = "test/cluster/";
/** Begun next, in this order, each file alone: what takes long must not begin last, nor one after the other. */
const LONG = [
  "test/crash/",
  "test/whole-server/",
  "test/engine/reader/",
  "test/engine/writer/embedding/",
  "test/engine/link/",
  "test/server/cli/",
  "test/page/",
  "test/scripts/",
];
/** In a pipe a line so often. */
const NEWS_MS = 10_000;
/** Longer than the slowest single test takes on a machine that is busy with other things. */
const SILENCE_MS_MAX = 240_000;
const SLOWEST = 10;
const HOOKS = /^(before|after)(Each)?\(/m;
/** Where tsx, and Node for npm and others, keep what they compiled; shared by all files of a run. */
const KEPT_BY_TOOLS = /^tsx-|^node-compile-cache$/;

export function testFilesIn(root, words) {
  return readdirSync(path.join(root, "test"), { recursive: true })
    .map((name) => path.join("test", name))
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function rank(file) {
  if (file.startsWith(LONGEST)) return -1;
  const place = LONG.findIndex((start) => file.startsWith(start));
  return place < 0 ? LONG.length : place;
}

/**
 * Files that run in one process, one after the other: loading and warming up the same code for each of them took a third of
 * all the time. Hooks at the top of a file belong to the whole process, so such a file has one of its own; as have long ones.
 */
function groupsOf(root, files) {
  const groups = new Map();
  for (const file of files) {
    const isLong = rank(file) >= 0 && rank(file) < LONG.length;
    const alone = isLong || HOOKS.test(readFileSync(path.join(root, file), "utf8"));
    const key = alone ? file : path.dirname(file);
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups.values()];
}

export class TestRun {
  #root;
  #flags;
  #silenceMsMax;
  #folder = mkdtempSync(path.join(tmpdir(), "sabre-tests-"));
  #out = process.stdout;
  #paint = painter(process.stdout);
  #live = isLive(process.stdout) ? new LiveLine(process.stdout) : null;
  #startedAt = performance.now();
  #total = 0;
  #done = 0;
  #underWay = new Set();
  #ended = [];
  /** What went wrong, a line each, to be said once more at the end. */
  #failures = [];
  /** Names of what was not run, by the reason for it. */
  #left = new Map();
  #counts = { ...NO_TESTS };

  /** `flags` are for node; a file or check that has nothing to tell for `silenceMsMax` is ended. */
  constructor(root, { flags = [], silenceMsMax = SILENCE_MS_MAX } = {}) {
    this.#root = root;
    this.#flags = flags;
    this.#silenceMsMax = silenceMsMax;
  }

  /** Resolves with whether all is well. */
  async run(files, checks) {
    this.#total = files.length;
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(name, () => this.#giveUp(name));
    const news = setInterval(() => this.#tell(), this.#live === null ? NEWS_MS : 200);
    const jobs = [
      ...checks.map((name) => () => this.#check(name)),
      ...groupsOf(this.#root, files).map((group) => () => this.#test(group)),
    ];
    const workers = Array.from({ length: availableParallelism() + 1 }, async () => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
    });
    await Promise.all(workers);
    clearInterval(news);
    this.#live?.clear();
    const left = this.#tidy();
    if (left.length > 0) this.#failures.push(`left in the temporary folder: ${left.join(", ")}`);
    this.#summary();
    return this.#failures.length + this.#counts.fail + this.#counts.cancelled === 0;
  }

  /** A script of package.json, by its name there. */
  async #check(name) {
    const { scripts } = JSON.parse(readFileSync(path.join(this.#root, "package.json"), "utf8"));
    const bin = path.join(this.#root, "node_modules", ".bin");
    const env = { ...this.#env(), PATH: `${bin}${path.delimiter}${process.env.PATH}` };
    const { status, output, ms } = await this.#during(name, () =>
      runGroup("sh", ["-c", scripts[name]], { cwd: this.#root, env, silenceMsMax: this.#silenceMsMax }),
    );
    if (status !== 0) this.#fail(name, output);
    else this.#print(`${this.#paint.green("✔")} ${name} (${seconds(ms)})`);
  }

  async #test(files) {
    const name = files.length === 1 ? files[0] : `${path.dirname(files[0])}/ (${files.length} files)`;
    const result = await this.#during(name, () =>
      runTestFiles(files, {
        cwd: this.#root,
        env: this.#env(),
        flags: this.#flags,
        silenceMsMax: this.#silenceMsMax,
        count: (kind) => this.#counts[kind]++,
        hear: (what, text) => this.#fail(what, text),
        leave: (what, reason) => this.#left.set(reason, [...(this.#left.get(reason) ?? []), what]),
      }),
    );
    this.#done += files.length;
    this.#ended.push({ name, ms: result.ms });
    if (this.#total <= SLOWEST) this.#print(`${name}: ${result.pass} of ${result.tests} pass (${seconds(result.ms)})`);
  }

  async #during(name, work) {
    this.#underWay.add(name);
    try {
      return await work();
    } finally {
      this.#underWay.delete(name);
    }
  }

  #env() {
    return { ...process.env, TMPDIR: this.#folder };
  }

  #tell() {
    const elapsed = seconds(performance.now() - this.#startedAt);
    const files = `${this.#done} of ${this.#total} files`;
    const state = `${files}, ${this.#counts.tests} tests, ${this.#failures.length} failures, ${elapsed}`;
    const names = [...this.#underWay].map((name) => name.replace(/^test\/|\.test\.ts$/g, ""));
    if (this.#live === null) this.#out.write(`${state}\n`);
    else this.#live.show(`${state}: ${names.join(", ")}`);
  }

  #fail(what, text) {
    this.#failures.push(what);
    this.#print(`${this.#paint.red("✖")} ${what}\n${text.replace(/^(?=.)/gm, "    ")}`);
  }

  #print(text) {
    if (this.#live === null) this.#out.write(`${text}\n`);
    else this.#live.print(text);
  }

  #summary() {
    const mark = this.#live === null ? "#" : "ℹ";
    if (this.#total > SLOWEST) {
      const slowest = this.#ended.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
      this.#print(`slowest:\n${slowest.map(({ name, ms }) => `  ${seconds(ms).padStart(7)}  ${name}`).join("\n")}`);
    }
    const left = [...this.#left].map(([reason, names]) => `  ${names.join(", ")}: ${reason}`);
    if (left.length > 0) this.#print(`left out:\n${left.join("\n")}`);
    const failures = this.#failures.map((what) => `  ${this.#paint.red("✖")} ${what}`);
    if (failures.length > 0) this.#print(`failures:\n${failures.join("\n")}`);
    const duration_ms = performance.now() - this.#startedAt;
    const lines = Object.entries({ ...this.#counts, duration_ms });
    this.#out.write(`${lines.map(([name, value]) => `${mark} ${name} ${value}\n`).join("")}`);
  }

  /** Removes the temporary folder; gives what a test should have removed itself. */
  #tidy() {
    const left = readdirSync(this.#folder).filter((name) => !KEPT_BY_TOOLS.test(name));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    return left;
  }

  #giveUp(signal) {
    endAll();
    this.#live?.clear();
    this.#tidy();
    process.kill(process.pid, signal);
  }
}
