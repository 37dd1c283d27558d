// Bundles src, and every package it uses, into dist: one file per thread, with the data of the tokenizer, the compiled
// binaries and the page for browsers beside them. dist and package.json are all that the server needs; a thread that is one file also starts several
// times faster than one that loads hundreds, and the server is run once, so that what the engine made of its code is there,
// too. Skipped when nothing changed since the last build, so that `npm start` stays quick; the new tree takes the place of the
// old one at once. `--all`: with the binaries for every machine, to be published.
// `--maps`: with maps of the sources, for measurements.
import { spawn } from "node:child_process";
import { cpSync, existsSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runFirst } from "./lib/first-run.mjs";
import { bundlePage } from "./lib/page.mjs";
import { showStep } from "./lib/progress.mjs";
import { filesUnder, Stamp } from "./lib/stamp.mjs";
import { siteSources } from "./site/sources.mjs";

/** What a thread runs, by its path from src; `serverThread()` finds the bundles by these names. */
const PROGRAM = "main";
const ENTRIES = [
  PROGRAM,
  "server/start/assemble",
  "engine/writer/thread",
  "engine/reader/thread",
  "engine/helper/thread",
  "server/start/import-dump-thread",
  "engine/vector/embed/thread",
  "server/client/commands",
];

/** What stands where a bundle is looked for: src/base/bundle/load.ts compiles the bundle, in the folder `code`. */
const STUB = 'require("./load.js").load(module, require);\n';
/** A bundle is a function of what a file of CommonJS is given. Modules of packages ask for their place in two ways. */
const BUNDLE_HEAD = `(function (exports, require, module, __filename, __dirname) { "use strict";`;
const PLACE = 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;';

const EXIT_WITHOUT_UWS = 3;

const root = fileURLToPath(new URL("..", import.meta.url));
const src = path.join(root, "src");
const dist = path.join(root, "dist");
const all = process.argv.includes("--all");
const maps = process.argv.includes("--maps");

const settings = [
  "package.json",
  "scripts/build.mjs",
  "scripts/natives.ts",
  "scripts/notice.mjs",
  "scripts/lib/pack.mjs",
  "scripts/lib/first-run.mjs",
  "scripts/lib/no-msgpackr.mjs",
  "scripts/lib/page.mjs",
  ".natives/compiled.json",
]
  .map((name) => path.join(root, name))
  .filter((file) => existsSync(file));
// Binaries are for a machine and for a version of Node.
const made = [process.platform, process.arch, process.versions.modules, all, maps].join();
const stamp = new Stamp(root, [...filesUnder(src), ...settings], made);
/** Of its own: where only a text changed, only the site is made anew. */
const siteStamp = new Stamp(root, siteSources(root));

/**
 * Code that is imported while the program runs is a bundle of its own: the launcher loads the program only where it does not
 * start another process, and a command that asks the server for something loads none of the server.
 */
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path: name, resolveDir }) => {
      const entry = path.relative(src, path.join(resolveDir, name)).replace(/\.ts$/, "").replaceAll(path.sep, "/");
      if (kind !== "dynamic-import" || !ENTRIES.includes(entry)) return undefined;
      return { path: `./${bundleName(entry)}.js`, external: true };
    });
  },
};

/** The path without the block: `src/base/bundle/threads.ts` finds it by the same name. */
const bundleName = (entry) => (entry.includes("/") ? entry.split("/").slice(1).join("-") : entry);
const entryPoint = (entry) => ({ in: `src/${entry}.ts`, out: bundleName(entry) });

/** The paths of everything that was bundled, relative to the root. */
async function bundle(into) {
  // Loaded only when it is needed: most starts build nothing.
  const { build, stop } = await import("esbuild");
  const options = {
    bundle: true,
    absWorkingDir: root,
    metafile: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    define: {
      "import.meta.url": "bundleUrl",
      "import.meta.resolve": "undefined",
    },
    banner: { js: PLACE },
    minifySyntax: true,
    minifyWhitespace: true,
    ...(maps ? { sourcemap: "external" } : {}),
    logLevel: "warning",
  };
  const bundled = {
    ...options,
    outdir: path.join(into, "code"),
    banner: { js: BUNDLE_HEAD + PLACE },
    footer: { js: "})" },
  };
  const loadsOthers = { plugins: [apart], supported: { "dynamic-import": false } };
  const threads = ENTRIES.filter((entry) => entry !== PROGRAM).map(entryPoint);
  // Piscina starts its threads with this file, which it expects beside its own code.
  threads.push({ in: "node_modules/piscina/dist/worker.js", out: "worker" });
  try {
    const built = await Promise.all([
      build({
        ...bundled,
        entryPoints: threads,
        // Compiled code that packages would like to have, and do without: none is loaded that is not pinned.
        external: ["@napi-rs/nice"],
        alias: {
          // Its other form has an `eval` that reads variables by names which a bundler changes.
          "ordered-binary": "./node_modules/ordered-binary/dist/index.cjs",
          msgpackr: "./scripts/lib/no-msgpackr.mjs",
        },
      }),
      build({ ...bundled, ...loadsOthers, entryPoints: [entryPoint(PROGRAM)] }),
      build({
        ...options,
        ...loadsOthers,
        entryPoints: [
          { in: "src/launch.ts", out: "launch" },
          { in: "src/base/bundle/load.ts", out: "load" },
        ],
        outdir: into,
      }),
      // Loaded when the first template is read, if ever.
      build({ ...options, banner: {}, entryPoints: ["liquidjs"], outfile: path.join(into, "liquidjs.cjs") }),
      // Loaded where a server is told of a NATS server.
      build({
        ...options,
        banner: {},
        entryPoints: ["src/storage/journal/nats-clients.ts"],
        outfile: path.join(into, "nats.cjs"),
      }),
      bundlePage(build, root, path.join(into, "page")),
      makeSite(build, into),
    ]);
    for (const { out } of [entryPoint(PROGRAM), ...threads]) writeFileSync(path.join(into, `${out}.js`), STUB);
    writeFileSync(path.join(into, "package.json"), '{ "type": "commonjs" }\n');
    return built.flatMap((part) => Object.keys(part?.metafile.inputs ?? {}));
  } finally {
    await stop();
  }
}

/** The documentation, in the folder `docs`. */
async function makeSite(build, into) {
  const { buildSite } = await import("./site/build.mjs");
  const site = path.join(into, "docs");
  await buildSite(build, root, site);
  siteStamp.putInto(site);
}

/** In a build that is otherwise as it should be. */
async function makeSiteAnew() {
  const { build, stop } = await import("esbuild");
  const fresh = `${dist}.${process.pid}`;
  process.on("exit", () => rmSync(fresh, { recursive: true, force: true }));
  await makeSite(build, fresh).finally(stop);
  rmSync(path.join(dist, "docs"), { recursive: true, force: true });
  renameSync(path.join(fresh, "docs"), path.join(dist, "docs"));
  return "made the documentation";
}

/** Resolves with whether all binaries that are wanted could be had, and what there is to be said about them. */
function addBinaries(into, say) {
  const args = ["--import", "tsx", "scripts/natives.ts", "--into", into, ...(all ? ["--all"] : [])];
  // The loader would leave what it compiled in the folder for temporary files.
  const env = { ...process.env, TSX_DISABLE_CACHE: "1" };
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env });
  let problems = "";
  child.stdout.setEncoding("utf8").on("data", (line) => say(line.trim()));
  child.stderr.setEncoding("utf8").on("data", (text) => {
    problems += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0 || status === EXIT_WITHOUT_UWS) resolve({ whole: status === 0, problems });
      else reject(new Error(problems));
    });
  });
}

/** Without a stamp the next build looks for the binaries again that could not be had. */
async function make(say, runsIt) {
  const { notice } = await import("./notice.mjs");
  const fresh = `${dist}.${process.pid}`;
  process.on("exit", () => rmSync(fresh, { recursive: true, force: true }));
  const bundled = await bundle(fresh);
  cpSync(path.join(src, "base", "text", "data"), path.join(fresh, "data"), { recursive: true });
  cpSync(path.join(src, "server", "client", "data"), path.join(fresh, "data", "demo"), { recursive: true });
  writeFileSync(path.join(fresh, "NOTICE"), notice(root, bundled));
  const { whole, problems } = await addBinaries(path.join(fresh, "native"), say);
  if (whole) stamp.putInto(fresh);
  // Removing takes a while, in which a server that is started would find half of it.
  const old = `${fresh}.old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
  if (runsIt) {
    say("first run");
    await runFirst(dist);
  }
  return problems === "" ? "built" : `${problems}built`;
}

/** What is wrong with the sources has been said by then. */
function giveUp(error) {
  if (error.errors === undefined) console.error(error.message);
  process.exit(1);
}

/** `runsIt`: once, see above. Who becomes the server next need not wait for that: a server keeps the same by itself. */
export async function build({ runsIt }) {
  if (!stamp.fits(dist) || process.argv.includes("--force"))
    await showStep("building", (say) => make(say, runsIt)).catch(giveUp);
  else if (!siteStamp.fits(path.join(dist, "docs")))
    await showStep("making the documentation", makeSiteAnew).catch(giveUp);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await build({ runsIt: true });
