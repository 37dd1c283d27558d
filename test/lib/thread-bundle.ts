/**
 * The code of a thread for tests as one file, of the build or made as it does: a thread that loads hundreds of files
 * from source takes seconds of a core to start, and tests of pools start and end many.
 */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { ThreadFile } from "../../src/base/bundle/threads.ts";
import { temporaryDirectory } from "./temporary.ts";

/** `source`: the file that the thread runs. */
export function threadBundle(source: URL): ThreadFile {
  const filename = path.join(temporaryDirectory(), "thread.mjs");
  buildSync({
    entryPoints: [fileURLToPath(source)],
    outfile: filename,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
  });
  return { filename, execArgv: [] };
}

/** A thread of the server as it was built, by the name of its file there. */
export function builtThread(name: string): ThreadFile {
  return { filename: fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url)), execArgv: [] };
}
