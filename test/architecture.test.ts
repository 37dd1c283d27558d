/**
 * Imports point one way: from a room to itself, or to one that comes after it in this order. `docs/architecture.md` prints
 * the same order, with the question that each room answers.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ORDER = [
  "launch.ts",
  "main.ts",
  "page",
  "server/one-file",
  "server/cli",
  "server/client",
  "server/start",
  "server/cluster",
  "server/front",
  "server/options",
  "engine/restore",
  "engine/reader",
  "engine/writer",
  "engine/helper",
  "engine/build",
  "engine/cache",
  "engine/link",
  "engine/ask",
  "engine/federation",
  "engine/semantic",
  "engine/answer",
  "engine/pins",
  "engine/parts",
  "engine/rank",
  "engine/vector",
  "engine/joins",
  "engine/personal",
  "engine/filter",
  "engine/query",
  "engine/auth",
  "storage/dump",
  "storage/index",
  "storage/segment",
  "storage/settings",
  "storage/memory",
  "storage/tasks",
  "storage/store",
  "storage/journal",
  "storage/blobs",
  "storage/s3",
  "base/payload",
  "base/script",
  "base/document",
  "base/contract",
  "base/insight",
  "base/text",
  "base/bundle",
  "base/native",
  "base/archive",
  "base/net",
  "base/errors",
  "base/log",
  "base/json",
  "base/kernels",
  "base/time",
  "base/files",
  "base/sorted",
  "base/limits.ts",
];

const SRC = fileURLToPath(new URL("../src", import.meta.url));
const ROOT = path.dirname(SRC);
const ARCHITECTURE = fileURLToPath(new URL("../docs/architecture.md", import.meta.url));

/** What a file takes in: values, types, and what it loads later. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"|new URL\(\s*"(\.{1,2}\/[^"]+)"/g;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll(path.sep, "/"))
  .filter((name) => /\.tsx?$/.test(name));

/** -1 for a file that belongs to no room. */
function placeOf(file: string): number {
  return ORDER.findIndex((room) => file === room || file.startsWith(`${room}/`));
}

function importsOf(file: string): string[] {
  const code = readFileSync(path.join(SRC, file), "utf8");
  const names = [...code.matchAll(IMPORT)].map(([, imported, addressed]) => imported ?? addressed!);
  // What lies outside src, a built file for example, is nobody's room.
  return names.map((name) => path.posix.join(path.posix.dirname(file), name)).filter((name) => !name.startsWith(".."));
}

test("every file belongs to a room, and every room has files", () => {
  assert.deepEqual(
    files.filter((file) => placeOf(file) < 0),
    [],
  );
  const used = new Set(files.map(placeOf));
  assert.deepEqual(
    ORDER.filter((_room, place) => !used.has(place)),
    [],
  );
});

test("no import points against the order", () => {
  let checked = 0;
  const against: string[] = [];
  for (const file of files) {
    for (const target of importsOf(file)) {
      checked++;
      if (placeOf(target) >= 0 && placeOf(target) < placeOf(file)) against.push(`${file} -> ${target}`);
    }
  }
  assert.deepEqual(against, []);
  assert.ok(checked > 2000, `only ${checked} imports were found`);
});

test("the documentation prints the same order", () => {
  const section = readFileSync(ARCHITECTURE, "utf8").split("## Folders of `src`")[1]!.split("\n## ")[0]!;
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const printed = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([^`]+?)\/?`/g)].map(([, room]) => room));
  assert.deepEqual(printed, ORDER);
});

test("what a class keeps to itself begins with a hash, which holds when the code runs too", () => {
  const keyword = /^\s*(?:(?:static|override|abstract|readonly|async)\s+)*private\s+(?!constructor\b)/m;
  const marked = ["src", "test", "perf", "scripts"]
    .flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        path.join(folder, name),
      ),
    )
    // AssemblyScript has no such names.
    .filter((name) => /\.tsx?$/.test(name) && !name.includes(`${path.sep}assembly${path.sep}`))
    .filter((name) => keyword.test(readFileSync(path.join(ROOT, name), "utf8")));
  assert.deepEqual(marked, []);
});
