/**
 * How a built file is loaded: what stands at its place in the build only calls this, and the bundle itself is compiled here,
 * with what the engine made of it at an earlier start. The guard stands before anything else.
 */
import "../native/guard.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { registerKeeper } from "./keep.ts";
import { keptFileOf, readKept, writeKept } from "./kept-code.ts";

const FOLDER = "code";

type Bundle = (
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
  const source = readFileSync(file);
  const kept = keptFileOf(file);
  const cachedData = readKept(kept, source);
  // Bundles have no characters but those of ASCII.
  const script = new vm.Script(source.toString("latin1"), {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (script.cachedDataRejected !== false) registerKeeper(() => writeKept(kept, source, script.createCachedData()));
  const run = script.runInThisContext() as Bundle;
  run(module.exports, require, module, module.filename, dir);
}
