/** Nothing is exported that no other file imports, so that what is no longer used shows at once. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Compiled by another compiler: what their entry files export is called from outside, by name. */
const ASSEMBLY = /[\\/]assembly[\\/]/;
const ENTRY = /\/assembly\/index\.ts$/;
/** Written by scripts, which do not know who wants what. */
const GENERATED = /\/generated\//;
/** Begun by name, in threads of their own or by a bundle. */
const BEGUN_BY_NAME = new Set([
  "perf/lib/empty-reader.ts: readerLoop",
  "scripts/lib/no-msgpackr.mjs: Encoder",
  "src/base/bundle/load.ts: load",
  "src/engine/helper/thread.ts: runJob",
  "src/engine/reader/thread.ts: readerLoop",
  "test/engine/reader/thread-fixture.ts: readerLoop",
]);

const EXPORT = /^export (?:abstract |async )*(?:const|let|function\*?|class|interface|type) (\w+)/gm;
const NAMED = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g;
const WHOLE = /\*\s*(?:as \w+\s+)?from\s*"(\.[^"]+)"|(?:import|import\.meta\.resolve|new URL)\(\s*"(\.[^"]+)"/g;

const code = new Map<string, string>();
const assembly = new Map<string, string>();
for (const folder of ["src", "test", "perf", "scripts"]) {
  for (const name of readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name);
    if (/\.(?:tsx?|mjs)$/.test(name)) {
      (ASSEMBLY.test(file) ? assembly : code).set(
        file.replaceAll(path.sep, "/"),
        readFileSync(path.join(ROOT, file), "utf8"),
      );
    }
  }
}

/** By file: the names that others import from it, and those who import it as a whole. */
function importers(): Map<string, { names: Set<string>; whole: string[] }> {
  const found = new Map([...code.keys()].map((file) => [file, { names: new Set<string>(), whole: [] as string[] }]));
  for (const [file, text] of code) {
    const target = (name: string) => found.get(path.posix.join(path.posix.dirname(file), name));
    for (const [, names, from] of text.matchAll(NAMED)) {
      for (const name of names!.split(",")) target(from!)?.names.add(/^\s*(?:type\s+)?(\w*)/.exec(name)![1]!);
    }
    for (const [, star, loaded] of text.matchAll(WHOLE)) target(star ?? loaded!)?.whole.push(text);
  }
  return found;
}

test("every export is imported by another file", () => {
  const found = importers();
  const unused: string[] = [];
  let exported = 0;
  for (const [file, text] of code) {
    if (GENERATED.test(file)) continue;
    const { names, whole } = found.get(file)!;
    for (const [, name] of text.matchAll(EXPORT)) {
      exported++;
      const isUsed = names.has(name!) || whole.some((other) => new RegExp(`\\b${name}\\b`).test(other));
      if (!isUsed && !BEGUN_BY_NAME.has(`${file}: ${name}`)) unused.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(unused, []);
  assert.ok(exported > 2000, `only ${exported} exports were found`);
});

/** What an assembly file exports of its own, and what it hands on from others. */
function exportsOf(file: string): string[] {
  const text = assembly.get(file)!;
  const own = [...text.matchAll(EXPORT)].map(([, name]) => name!);
  const named = [...text.matchAll(/^export \{([^}]*)\} from/gm)].flatMap(([, names]) => names!.match(/\w+/g) ?? []);
  const whole = [...text.matchAll(/^export \* from "(\.[^"]+)"/gm)].flatMap(([, from]) =>
    exportsOf(path.posix.join(path.posix.dirname(file), `${from}.ts`)),
  );
  return [...own, ...named, ...whole];
}

test("every export of an assembly file is imported by another one", () => {
  const used = new Set<string>();
  for (const [file, text] of assembly) {
    const target = (from: string) => path.posix.join(path.posix.dirname(file), `${from}.ts`);
    for (const [, names, from] of text.matchAll(NAMED)) {
      for (const name of names!.match(/\w+/g) ?? []) used.add(`${target(from!)}: ${name}`);
    }
    for (const [, star] of text.matchAll(WHOLE)) {
      for (const name of exportsOf(target(star!))) used.add(`${target(star!)}: ${name}`);
    }
  }
  const exported = [...assembly.keys()]
    .filter((file) => !ENTRY.test(file))
    .flatMap((file) => exportsOf(file).map((name) => `${file}: ${name}`));
  assert.deepEqual(
    exported.filter((name) => !used.has(name)),
    [],
  );
  assert.ok(exported.length > 500, `only ${exported.length} exports were found`);
});

test("every kernel is declared by its family, and called from outside of tests", () => {
  const callers = [...code].flatMap(([file, text]) => (file.startsWith("src/") && !GENERATED.test(file) ? [text] : []));
  const isCalled = (name: string) => {
    const call = new RegExp(`\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\}\\s*=`);
    return callers.some((text) => call.test(text));
  };
  const unused: string[] = [];
  let kernels = 0;
  for (const file of assembly.keys()) {
    if (!ENTRY.test(file)) continue;
    const family = code.get(file.replace(ENTRY, "/kernels.ts"))!;
    for (const name of exportsOf(file)) {
      kernels++;
      if (!new RegExp(`\\b${name}\\b`).test(family) || !isCalled(name)) unused.push(`${file}: ${name}`);
    }
  }
  assert.deepEqual(unused, []);
  assert.ok(kernels > 100, `only ${kernels} kernels were found`);
});
