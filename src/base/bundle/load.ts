/**
 * Loads a built file. The file in the build is a stub that calls this; the bundle itself is compiled here, with the
 * code cache of an earlier start. The guard against unknown binaries is imported before anything else.
 */
import "../native/guard.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import { cachedDataVersionTag } from "node:v8";
import vm from "node:vm";
import { type Bundle, readKept, writeKept } from "./code-cache.ts";
import { registerKeeper } from "./keep.ts";

const FOLDER = "code";
const FLAGS_AT_START = cachedDataVersionTag();

type Run = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  filename: string,
  dirname: string,
) => void;

/** Runs a bundle as if it were `module`. */
export function load(module: NodeJS.Module, require: NodeJS.Require): void {
  const { dir, base } = path.parse(module.filename);
  const file = path.join(dir, FOLDER, base);
  const bundle = { file, source: readFileSync(file) };
  const cachedData = readKept(bundle);
  // Bundles have no characters but those of ASCII.
  const script = new vm.Script(bundle.source.toString("latin1"), {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (script.cachedDataRejected !== false) registerKeeper(() => keep(bundle, script));
  const run = script.runInThisContext() as Run;
  run(module.exports, require, module, module.filename, dir);
}

/** Not while flags are others than they were, which another thread may set at any moment: it would be taken by nobody. */
function keep(bundle: Bundle, script: vm.Script): boolean {
  if (cachedDataVersionTag() !== FLAGS_AT_START) return false;
  const data = script.createCachedData();
  if (cachedDataVersionTag() !== FLAGS_AT_START) return false;
  writeKept(bundle, data);
  return true;
}
