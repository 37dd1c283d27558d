// Bundles src into dist, one file per thread, with the data of the tokenizer beside them: a thread that is one file starts
// several times faster than one that loads hundreds. Skipped when nothing changed since the last build, so that `npm start`
// stays quick; the new tree takes the place of the old one at once.
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

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
const stampFile = path.join(dist, ".stamp");

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** Content, not times: a fresh checkout of the same sources must not rebuild, and a touched file need not. */
function stampOf(files) {
  const hash = createHash("sha256");
  for (const file of files) {
    hash.update(`${path.relative(root, file)}\0${statSync(file).size}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

const settings = ["package.json", "scripts/build.mjs"].map((name) => path.join(root, name));
const stamp = stampOf([...filesUnder(src), ...settings]);
const built = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";

if (built !== stamp || process.argv.includes("--force")) {
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
  } catch {
    rmSync(fresh, { recursive: true, force: true });
    process.exit(1);
  }
  cpSync(path.join(src, "text", "data"), path.join(fresh, "data"), { recursive: true });
  writeFileSync(path.join(fresh, ".stamp"), stamp);
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
}
