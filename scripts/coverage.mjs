// `npm run coverage [-- WORD…]`: runs the tests of the rooms of src, or those whose path contains a word, and prints how much
// of src they ran, by folder: functions, and lines, of which a line counts as run when something on it was; then the files with
// the most lines that were not run, and which. As V8 counts, in the threads and processes that run from source. What a built
// server runs is not counted, so tests that do nothing but ask one are left out: counting makes their servers
// slower, and tests ran into their bounds.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { demandNode } from "./lib/node-version.mjs";

demandNode();
const { prepare, root } = await import("./lib/prepare.mjs");
await prepare();
const { TestRun, testFilesIn } = await import("./lib/test-run.mjs");
const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const ROOMS = ["test/base/", "test/engine/", "test/storage/", "test/server/"];
/** What a test file names that starts the built program. */
const ASKS_BUILT = /\/lib\/server\.ts"|\/program\.ts"|\bdist\//;
/** Counting is slow, and a run of everything is for a machine that does other things meanwhile. */
const SILENCE_MS_MAX = 1_200_000;
const LEAST_RUN = 10;
const profiles = mkdtempSync(path.join(os.tmpdir(), "sabre-coverage-"));
process.env.NODE_V8_COVERAGE = profiles;
const tidy = () => rmSync(profiles, { recursive: true, force: true });
// The run ends itself by the same signal, and then nothing more is done here.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(name, tidy);
try {
  const passed = await new TestRun(root, { silenceMsMax: SILENCE_MS_MAX }).run(
    words.length === 0 ? fromSource() : testFilesIn(root, words),
    [],
  );
  const sums = sumsOf(filesRun());
  printFolders(sums);
  printLeastRun(sums);
  process.exitCode = passed ? 0 : 1;
} finally {
  delete process.env.NODE_V8_COVERAGE;
  tidy();
}

function fromSource() {
  const all = testFilesIn(root, []);
  const files = testFilesIn(root, ROOMS).filter(
    (file) => !ASKS_BUILT.test(readFileSync(path.join(root, file), "utf8")),
  );
  console.log(`${files.length} of ${all.length} test files, without those that ask a built server`);
  return files;
}

/** File below src to its functions, each with whether some thread ran it, to its compiled characters, 1 where some thread ran them, and to the map from those to lines. */
function filesRun() {
  const files = new Map();
  const src = path.join(root, "src") + path.sep;
  for (const name of readdirSync(profiles)) {
    const { result, "source-map-cache": maps = {} } = JSON.parse(readFileSync(path.join(profiles, name), "utf8"));
    for (const { url, functions } of result) {
      const file = url.startsWith("file:") ? fileURLToPath(url.split("?")[0]) : "";
      if (!file.startsWith(src) || file.includes(`${path.sep}generated${path.sep}`)) continue;
      const known = files.get(file.slice(src.length)) ?? {
        functions: new Map(),
        characters: new Uint8Array(0),
        map: null,
      };
      files.set(file.slice(src.length), known);
      known.map ??= maps[url] ?? null;
      known.characters = union(known.characters, charactersRun(functions));
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        const key = `${functionName}@${startOffset}`;
        known.functions.set(key, count > 0 || known.functions.get(key) === true);
      }
    }
  }
  return files;
}

/** In one thread: of nested ranges the innermost counts, and comes last. */
function charactersRun(functions) {
  const ends = functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset));
  const characters = new Uint8Array(Math.max(0, ...ends));
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) characters.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return characters;
}

function union(a, b) {
  const [longer, shorter] = a.length < b.length ? [b, a] : [a, b];
  shorter.forEach((isRun, at) => {
    longer[at] |= isRun;
  });
  return longer;
}

/** Line of the source to whether something on it ran. Nothing maps to the last compiled line, which is the map itself. */
function linesRun({ characters, map }) {
  const lines = new Map();
  if (map === null) return lines;
  const source = new SourceMap(map.data);
  let at = 0;
  for (const [row, length] of map.lineLengths.slice(0, -1).entries()) {
    for (let column = 0; column < length; column++) {
      const { originalLine } = source.findEntry(row, column);
      if (originalLine !== undefined)
        lines.set(originalLine, characters[at + column] === 1 || lines.get(originalLine) === true);
    }
    at += length + 1;
  }
  return lines;
}

/** File to how much of it there is and was run. */
function sumsOf(files) {
  const sums = new Map();
  for (const [file, known] of files) {
    const lines = [...linesRun(known)];
    const idle = lines.flatMap(([line, isRun]) => (isRun ? [] : [line + 1]));
    sums.set(file, {
      functions: known.functions.size,
      functionsRun: [...known.functions.values()].filter((isRun) => isRun).length,
      lines: lines.length,
      linesRun: lines.length - idle.length,
      idle: idle.sort((a, b) => a - b),
    });
  }
  return sums;
}

function share(run, all, what) {
  return `${`${run} of ${all} ${what}`.padStart(26)} ${`${((100 * run) / all).toFixed(1)} %`.padStart(8)}`;
}

function printFolders(sums) {
  const folders = new Map();
  const all = { functions: 0, functionsRun: 0, lines: 0, linesRun: 0 };
  for (const [file, sum] of sums) {
    const name = path.dirname(file).split(path.sep).slice(0, 2).join("/");
    const folder = folders.get(name) ?? { functions: 0, functionsRun: 0, lines: 0, linesRun: 0 };
    folders.set(name, folder);
    for (const key of Object.keys(all)) {
      folder[key] += sum[key];
      all[key] += sum[key];
    }
  }
  const rows = [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
  if (rows.length > 0) rows.push(["loaded files", all]);
  for (const [name, { functions, functionsRun, lines, linesRun: run }] of rows) {
    console.log(name.padEnd(20) + share(functionsRun, functions, "functions") + share(run, lines, "lines"));
  }
}

function printLeastRun(sums) {
  const files = [...sums]
    .filter(([, { idle }]) => idle.length > 0)
    .sort(([, a], [, b]) => b.idle.length - a.idle.length);
  for (const [file, { idle, lines, linesRun: run }] of files.slice(0, LEAST_RUN)) {
    console.log(`${share(run, lines, "lines")}  ${file}, not ${ranges(idle)}`);
  }
}

/** Ascending numbers, those that follow each other as one: 3, 7–9. */
function ranges(numbers) {
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last?.to === number - 1) last.to = number;
    else found.push({ from: number, to: number });
  }
  return found.map(({ from, to }) => (from === to ? from : `${from}–${to}`)).join(", ");
}
