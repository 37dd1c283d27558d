// Runs test files in one process, in a process group of its own, so that whatever they start ends with it, and gives up on
// files that have nothing to tell for too long.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { RECORD } from "./test-reporter.mjs";

const REPORTER = new URL("test-reporter.mjs", import.meta.url).href;
const TOGETHER = fileURLToPath(new URL("test-files.mjs", import.meta.url));
const DRAIN_MS_MAX = 2000;
const OUTPUT_CHARS_MAX = 20_000;
const BEAT_MS = 1000;

const running = new Set();

/** Ends every file under way, with its children. */
export function endAll() {
  for (const pid of running) endGroup(pid);
}

/** Everything of the group: a process that its test forgot would keep ports, files and cores. */
function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left, as it should be.
  }
}

export const NO_TESTS = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

/**
 * Resolves with the counts by kind and how long it took; `count`, `hear` and `leave` are told at once of tests, of failures, and
 * of what was left out for a reason.
 */
export async function runTestFiles(files, { cwd, env, flags, silenceMsMax, count, hear, leave }) {
  const args = ["--import", "tsx", `--test-reporter=${REPORTER}`, "--test-reporter-destination=stdout", ...flags];
  // Not by --import: that would be done again in every thread and process that a test starts.
  args.push(TOGETHER, ...files);
  const counts = { ...NO_TESTS };
  const add = (kind) => {
    for (const name of kind === "suites" ? [kind] : ["tests", kind]) {
      counts[name]++;
      count(name);
    }
  };
  let under = "";
  const place = (file) => (file === undefined ? files.join(", ") : path.relative(cwd, file));
  const outcome = await runGroup(process.execPath, args, {
    cwd,
    env,
    silenceMsMax,
    onRecord(record) {
      if (record.type === "begun") {
        under = record.name;
        return;
      }
      add(record.type);
      if (record.reason !== undefined) leave(record.name, record.reason);
      if ((record.type === "fail" || record.type === "cancelled") && record.text !== "")
        hear(`${place(record.file)}: ${record.name}`, record.text);
    },
  });
  const { status, signal, silent, output } = outcome;
  if (silent) {
    add("fail");
    hear(`${place()}: ended by force: nothing to tell for ${silenceMsMax / 1000} s, last begun: ${under}`, output);
  } else if (status !== 0 && counts.fail === 0 && counts.cancelled === 0) {
    add("fail");
    hear(`${place()}: ended with ${signal ?? `status ${status}`}`, output);
  } else if (status !== 0 && output.trim() !== "") {
    hear(`${place()}: what it printed`, output);
  }
  return { ...counts, ms: outcome.ms };
}

/** Runs a command in a group of its own; resolves when it has ended and nothing of its group is left. */
export function runGroup(command, args, { cwd, env, silenceMsMax, onRecord = () => {} }) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child.pid);
    let output = "";
    let pending = "";
    let silent = false;
    // Counted in beats, not by the clock: on a machine that stops everything for a while, the clock goes on and a test does not.
    let silentMs = 0;
    const watchdog = setInterval(() => {
      silentMs += BEAT_MS;
      if (silentMs < silenceMsMax) return;
      silent = true;
      endGroup(child.pid);
    }, BEAT_MS);
    const keep = (text) => {
      output = (output + text).slice(-OUTPUT_CHARS_MAX);
    };
    child.stdout.setEncoding("utf8").on("data", (text) => {
      silentMs = 0;
      const lines = (pending + text).split("\n");
      pending = lines.pop();
      for (const line of lines) {
        if (line.startsWith(RECORD)) onRecord(JSON.parse(line.slice(RECORD.length)));
        else if (line !== "") keep(`${line}\n`);
      }
    });
    child.stderr.setEncoding("utf8").on("data", keep);
    child.once("error", reject);
    child.once("exit", (status, signal) => {
      clearInterval(watchdog);
      endGroup(child.pid);
      running.delete(child.pid);
      const finish = () =>
        resolve({ status, signal, silent, output: output + pending, ms: performance.now() - startedAt });
      // What it wrote last may still be on its way. A process outside its group could hold the pipes open for ever.
      const late = setTimeout(finish, DRAIN_MS_MAX);
      child.once("close", () => {
        clearTimeout(late);
        finish();
      });
    });
  });
}
