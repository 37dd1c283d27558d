// `npm run binary`: makes one executable of the Node that runs this and of the server, for this kind of machine, for people
// without Node. What the server needs is packed into it; src/server/one-file tells how it starts.
//
//   node --import tsx scripts/binary.ts [--out FILE] [--quick]
//
// --quick: hardly compressed, for tests.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { BOOT_FILE, CONTENTS_ASSET, LIST_ASSET, MAIN_FILE, packFiles } from "../src/server/one-file/file-list.ts";

/** Node looks for what was put into it by these names. */
const BLOB = "NODE_SEA_BLOB";
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const MACHO_SEGMENT = "NODE_SEA";
/** From this version on Node makes the executable by itself. */
const BUILDS_ITSELF: [number, number] = [25, 5];

const QUALITY = 9;
const QUICK_QUALITY = 1;

interface Injector {
  inject(
    file: string,
    name: string,
    content: Buffer,
    options: { sentinelFuse: string; machoSegmentName: string },
  ): Promise<void>;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const suffix = process.platform === "win32" ? ".exe" : "";
const { values } = parseArgs({
  options: {
    out: { type: "string", default: path.join(root, "binary", `sabre-search${suffix}`) },
    quick: { type: "boolean", default: false },
  },
});

const folder = mkdtempSync(path.join(tmpdir(), "binary-"));
try {
  const assets = packServer();
  await bundleMain();
  const out = path.resolve(values.out);
  mkdirSync(path.dirname(out), { recursive: true });
  rmSync(out, { force: true });
  if (buildsItself()) runNode("--build-sea", configuration({ executable: process.execPath, output: out, assets }));
  else await inject(out, assets);
  if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", out]);
  chmodSync(out, 0o755);
  process.stdout.write(`${path.relative("", out)}: ${(statSync(out).size / 1e6).toFixed(1)} MB\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/** The build and its package.json, which says that the bundles are modules, as assets: what they are called, and where they lie. */
function packServer(): Record<string, string> {
  const stage = path.join(folder, "stage");
  runNode(path.join(root, "scripts", "build.mjs"));
  cpSync(path.join(root, "dist"), path.join(stage, "dist"), { recursive: true });
  // Large, and made from what lies beside it.
  rmSync(path.join(stage, "dist", "data", "made"), { recursive: true, force: true });
  // What this machine says of the files, which will be others where they are unpacked.
  rmSync(path.join(stage, "dist", "native", "made"), { recursive: true, force: true });
  for (const name of ["package.json", "LICENSE"]) copyFileSync(path.join(root, name), path.join(stage, name));
  writeFileSync(path.join(stage, BOOT_FILE), `import("./${MAIN_FILE}");\n`);
  const { list, contents } = packFiles(filesUnder(stage), values.quick ? QUICK_QUALITY : QUALITY);
  const assets = {
    [LIST_ASSET]: path.join(folder, LIST_ASSET),
    [CONTENTS_ASSET]: path.join(folder, CONTENTS_ASSET),
  };
  writeFileSync(assets[LIST_ASSET]!, JSON.stringify(list));
  writeFileSync(assets[CONTENTS_ASSET]!, contents);
  return assets;
}

function filesUnder(stage: string): Map<string, Buffer> {
  const names = readdirSync(stage, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(path.join(stage, name)).isFile());
  return new Map(files.map((name) => [name.replaceAll(path.sep, "/"), readFileSync(path.join(stage, name))]));
}

async function bundleMain(): Promise<void> {
  await build({
    entryPoints: [path.join(root, "src", "server", "one-file", "main.ts")],
    outfile: path.join(folder, "main.cjs"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
}

/** Writes down what Node is to put together; gives the file. */
function configuration(rest: { output: string; executable?: string; assets: Record<string, string> }): string {
  const file = path.join(folder, "sea.json");
  const main = path.join(folder, "main.cjs");
  writeFileSync(file, JSON.stringify({ main, disableExperimentalSEAWarning: true, ...rest }));
  return file;
}

async function inject(out: string, assets: Record<string, string>): Promise<void> {
  const blob = path.join(folder, "blob");
  runNode("--experimental-sea-config", configuration({ output: blob, assets }));
  copyFileSync(process.execPath, out);
  chmodSync(out, 0o755);
  if (process.platform === "darwin") execFileSync("codesign", ["--remove-signature", out]);
  const { inject } = createRequire(import.meta.url)("postject") as Injector;
  // It warns of names of sections, which nobody looks for.
  console.warn = () => {};
  await inject(out, BLOB, readFileSync(blob), { sentinelFuse: FUSE, machoSegmentName: MACHO_SEGMENT });
}

function buildsItself(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > BUILDS_ITSELF[0] || (major === BUILDS_ITSELF[0] && minor >= BUILDS_ITSELF[1]);
}

/** What it has to say becomes part of the error, and is of no interest otherwise. */
function runNode(...args: string[]): void {
  execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
}
