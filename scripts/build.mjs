// Bundles src into dist, one file per thread, with the data of the tokenizer beside them: a thread that is one file starts
// several times faster than one that loads hundreds. Skipped when nothing changed since the last build, so that `npm start`
// stays quick; the new tree takes the place of the old one at once.
import { cpSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { showStep } from "./lib/progress.mjs";
import { filesUnder, Stamp } from "./lib/stamp.mjs";

/** What a thread runs, by its path from src; `serverThread()` finds the bundles by these names. */
const ENTRIES = [
  "launch",
  "main",
  "writer/thread",
  "reader/loop",
  "reader/handlers",
  "helper/thread",
  "start/import-dump-thread",
  "vector/embed/thread",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const src = path.join(root, "src");
const dist = path.join(root, "dist");

const settings = ["package.json", "scripts/build.mjs"].map((name) => path.join(root, name));
const stamp = new Stamp(root, [...filesUnder(src), ...settings]);

async function bundle() {
  // Loaded only when it is needed: most starts build nothing.
  const { build, stop } = await import("esbuild");
  const fresh = `${dist}.${process.pid}`;
  try {
    await build({
      entryPoints: ENTRIES.map((entry) => ({
        in: path.join(src, `${entry}.ts`),
        out: entry.replaceAll("/", "-"),
      })),
      outdir: fresh,
      bundle: true,
      // The reader's loop loads its handlers as a module of their own: what both use must exist once, or an error class of
      // one would mean nothing to the other.
      splitting: true,
      chunkNames: "shared-[hash]",
      format: "esm",
      platform: "node",
      target: "node20",
      minifySyntax: true,
      minifyWhitespace: true,
      // Packages with compiled parts or threads of their own are found in node_modules at run time.
      external: ["lmdb", "liquidjs", "piscina", "uWebSockets.js", "uWebSockets24.js", "hnswlib-node"],
      // CommonJS packages inside a bundle ask for built-in modules with `require`, which ES modules do not have.
      banner: {
        js: 'import { createRequire as bundleRequire } from "node:module"; const require = bundleRequire(import.meta.url);',
      },
      logLevel: "warning",
    });
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  } finally {
    await stop();
  }
  cpSync(path.join(src, "text", "data"), path.join(fresh, "data"), { recursive: true });
  stamp.putInto(fresh);
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
  return "built";
}

if (!stamp.fits(dist) || process.argv.includes("--force")) {
  // What is wrong with the sources has been said by then.
  await showStep("building", bundle).catch(() => process.exit(1));
}
