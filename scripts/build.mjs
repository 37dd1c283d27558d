// Compiles src to dist and copies what is not TypeScript (data, WebAssembly) beside it. Skipped when nothing changed
// since the last build, so that `npm start` stays quick; the new tree takes the place of the old one at once.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

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

const sources = filesUnder(src);
const settings = ["package.json", "tsconfig.json", "tsconfig.build.json"].map((name) => path.join(root, name));
const stamp = stampOf([...sources, ...settings]);
const built = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";

if (built !== stamp || process.argv.includes("--force")) {
  const fresh = `${dist}.${process.pid}`;
  const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
  const outcome = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", fresh], {
    cwd: root,
    stdio: "inherit",
  });
  if (outcome.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    process.exit(outcome.status || 1);
  }
  for (const file of sources) {
    if (!file.endsWith(".ts")) cpSync(file, path.join(fresh, path.relative(src, file)));
  }
  writeFileSync(path.join(fresh, ".stamp"), stamp);
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
}
