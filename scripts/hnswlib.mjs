// Compiles hnswlib-node, which `--vector-graph-builder hnswlib` needs, and writes down the hash of what came out: the
// server loads that very file and no other. Needs a C++ compiler, Python and npm, which has node-gyp: `npm run hnswlib`.
// Where the package is not installed, the very versions that are named here are taken from the registry.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = {
  "hnswlib-node": {
    version: "3.0.0",
    integrity: "sha512-fypn21qvVORassppC8/qNfZ5KAOspZpm/IbUkAtlqvbtDNnF5VVk5RWF7O5V6qwr7z+T3s1ePej6wQt5wRQ4Cg==",
  },
  "node-addon-api": {
    version: "8.9.2",
    integrity: "sha512-VijLXbi3UACN69I0JVXJsX4tjACjNoQDgv2gTF6sx2wWEi8tkSg2eX8p5gSIFi8z2+DL3oHmY6OyKce38SDolg==",
  },
};

const root = fileURLToPath(new URL("..", import.meta.url));
const { npm_execpath: npm, npm_config_node_gyp: nodeGyp } = process.env;
if (npm === undefined || nodeGyp === undefined) fail("run this as `npm run hnswlib`");

const folder = mkdtempSync(path.join(tmpdir(), "sabre-hnswlib-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const source = sourceFolder();
const work = path.join(folder, "work");
cpSync(source, work, { recursive: true });
cpSync(addonApi(source), path.join(work, "node_modules", "node-addon-api"), { recursive: true });
console.log("compiling hnswlib-node");
runNode([nodeGyp, "rebuild", ...nodeHeaders()], work);
for (const target of [".natives", "dist/native"]) keep(path.join(work, "build", "Release", "addon.node"), target);
console.log("hnswlib-node is compiled");

/** Of the package: as installed, or else from the registry. */
function sourceFolder() {
  const installed = path.join(root, "node_modules", "hnswlib-node");
  if (existsSync(installed)) return installed;
  const names = Object.entries(SOURCES).map(([name, { version }]) => `${name}@${version}`);
  console.log(`fetching ${names.join(" and ")}`);
  writeFileSync(path.join(folder, "package.json"), "{}");
  runNode([npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...names], folder);
  const lock = JSON.parse(readFileSync(path.join(folder, "node_modules", ".package-lock.json"), "utf8"));
  for (const [name, { integrity }] of Object.entries(SOURCES)) {
    const { integrity: found } = lock.packages[`node_modules/${name}`];
    if (found !== integrity) fail(`${name} is not the package that is expected: ${found} instead of ${integrity}`);
  }
  return path.join(folder, "node_modules", "hnswlib-node");
}

function addonApi(from) {
  return path.dirname(createRequire(path.join(from, "_")).resolve("node-addon-api/package.json"));
}

/** Those that came with this Node; without them node-gyp looks for them elsewhere. */
function nodeHeaders() {
  const prefix = path.dirname(path.dirname(process.execPath));
  return existsSync(path.join(prefix, "include", "node", "node_api.h")) ? [`--nodedir=${prefix}`] : [];
}

/** What it says is of interest only when it fails. */
function runNode(args, cwd) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  if (status !== 0) fail(`${stdout}${stderr}\`${path.basename(args[0])} ${args[1]}\` failed`);
}

/** In the checkout, and in what is built. `src/base/native/compiled.ts` reads the list. */
function keep(addon, target) {
  const into = path.join(root, target);
  if (!existsSync(path.dirname(into)) || (target === ".natives" && !existsSync(path.join(root, "src")))) return;
  mkdirSync(into, { recursive: true });
  const name = `hnswlib-${process.platform}-${process.arch}.node`;
  const bytes = readFileSync(addon);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  replace(path.join(into, name), bytes);
  replace(path.join(into, "compiled.json"), `${JSON.stringify({ [name]: sha256 })}\n`);
}

/** At once: a server may be reading it. */
function replace(file, content) {
  writeFileSync(`${file}.${process.pid}`, content, { mode: 0o755 });
  renameSync(`${file}.${process.pid}`, file);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
