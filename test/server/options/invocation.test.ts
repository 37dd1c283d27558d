import assert from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { invocationOf } from "../../../src/server/options/invocation.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const FOLDER = realpathSync(temporaryDirectory());
const place = (...names: string[]): string => path.join(FOLDER, ...names);
for (const folder of ["checkout/dist", "bin", "other", "cache/node_modules/.bin"]) {
  mkdirSync(place(folder), { recursive: true });
}
const FILE = place("checkout", "dist", "launch.js");
const ONE_FILE = place("other", "sabre-linux");
for (const file of [FILE, ONE_FILE, place("other", "sabre")]) writeFileSync(file, "");
for (const folder of ["bin", "cache/node_modules/.bin"]) symlinkSync(FILE, place(folder, "sabre"));

const called = (cwd: string, PATH: string[], env: NodeJS.ProcessEnv = {}, file = FILE): string =>
  invocationOf({ file, isExecutable: file === ONE_FILE, cwd, env: { ...env, PATH: PATH.join(path.delimiter) } });

test("a program that a shell finds is called by its name, unless another one of that name comes first", () => {
  assert.equal(called(place("other"), [place("bin")]), "sabre");
  assert.equal(called(place("other"), [place("nowhere"), place("bin"), place("other")]), "sabre");
  assert.equal(called(place("other"), [place("other"), place("bin")]), `node ${FILE}`);
  assert.equal(called(place(), [place("other")], {}, ONE_FILE), "sabre-linux");
});

test("what npm started is called through npx, since nobody else has its PATH", () => {
  const npm = { npm_execpath: "/usr/lib/npm-cli.js" };
  const bin = place("cache", "node_modules", ".bin");
  assert.equal(called(place("checkout"), [bin], npm), "npx sabre");
  assert.equal(called(place("checkout"), [], npm), "npx sabre");
  // Where it does not lie below, npx must find the package by its name.
  assert.equal(called(place("other"), [bin], npm), "npx sabre-search");
  assert.equal(called(place("checkout"), [place("bin")], npm), "sabre");
});

test("anything else is called by its path, from where one is", () => {
  assert.equal(called(place("checkout"), []), `node ${path.join("dist", "launch.js")}`);
  assert.equal(called(place("other"), [""]), `node ${FILE}`);
  assert.equal(called(place("other"), [], {}, ONE_FILE), `.${path.sep}sabre-linux`);
  assert.equal(called(place("bin"), [], {}, ONE_FILE), ONE_FILE);
  assert.equal(
    called(place("bin"), [], {}, place("a folder", "launch.js")),
    `node "${place("a folder", "launch.js")}"`,
  );
});
