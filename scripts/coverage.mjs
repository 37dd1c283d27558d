// `npm run coverage [-- WORD…]`: runs the tests, all or those whose path contains a word, and prints how many functions of src
// they ran, by folder: in the threads and processes that run from source. Functions, because V8 counts them without a map of
// the sources; what runs from the build only, a whole server in its own process, is not counted.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { demandNode } from "./lib/node-version.mjs";

demandNode();
const { prepare, root } = await import("./lib/prepare.mjs");
await prepare();
const { TestRun, testFilesIn } = await import("./lib/test-run.mjs");
const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const profiles = mkdtempSync(path.join(os.tmpdir(), "sabre-coverage-"));
process.env.NODE_V8_COVERAGE = profiles;
try {
  const passed = await new TestRun(root, { flags: [] }).run(testFilesIn(root, words), []);
  print(foldersOf(functionsRun()));
  process.exitCode = passed ? 0 : 1;
} finally {
  delete process.env.NODE_V8_COVERAGE;
  rmSync(profiles, { recursive: true, force: true });
}

/** File below src to its functions, each with whether some thread ran it. */
function functionsRun() {
  const files = new Map();
  const src = path.join(root, "src") + path.sep;
  for (const name of readdirSync(profiles)) {
    const { result } = JSON.parse(readFileSync(path.join(profiles, name), "utf8"));
    for (const { url, functions } of result) {
      const file = url.startsWith("file:") ? fileURLToPath(url.split("?")[0]) : "";
      if (!file.startsWith(src) || file.includes(`${path.sep}generated${path.sep}`)) continue;
      const own = files.get(file.slice(src.length)) ?? new Map();
      files.set(file.slice(src.length), own);
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        const key = `${functionName}@${startOffset}`;
        own.set(key, count > 0 || own.get(key) === true);
      }
    }
  }
  return files;
}

function foldersOf(files) {
  const folders = new Map();
  for (const [file, functions] of files) {
    const name = path.dirname(file).split(path.sep).slice(0, 2).join("/");
    const sum = folders.get(name) ?? { all: 0, run: 0 };
    folders.set(name, sum);
    for (const isRun of functions.values()) {
      sum.all++;
      if (isRun) sum.run++;
    }
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
}

function print(folders) {
  const total = { all: 0, run: 0 };
  const line = (name, { all, run }) =>
    `${name.padEnd(32)} ${`${run} of ${all}`.padStart(14)}  ${((100 * run) / all).toFixed(1)} %`;
  for (const [name, sum] of folders) {
    console.log(line(name, sum));
    total.all += sum.all;
    total.run += sum.run;
  }
  if (total.all > 0) console.log(line("functions of loaded files", total));
}
