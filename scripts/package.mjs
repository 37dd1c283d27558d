// Makes the package as it is published, installs it into an empty folder, starts it there and asks whether it is well:
// `npm run package [-- FOLDER]`. The package is left in FOLDER, or nowhere.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const START_MS_MAX = 30_000;
const LOOK_MS = 50;
/** A second signal would not let the server finish: it gets time before that. */
const STOP_MS = 5000;
const MEGABYTE = 1e6;

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "sabre-package-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const destination = path.resolve(process.argv[2] ?? path.join(folder, "packed"));
mkdirSync(destination, { recursive: true });
// Scripts of packages are never run here (.npmrc); what comes before packing is a script of our own.
npm(["pack", "--ignore-scripts=false", "--pack-destination", destination], root);
const archive = readdirSync(destination)
  .filter((name) => name.startsWith("sabre-search-") && name.endsWith(".tgz"))
  .map((name) => path.join(destination, name))
  .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];

const empty = path.join(folder, "empty");
mkdirSync(empty);
writeFileSync(path.join(empty, "package.json"), "{}");
npm(["install", "--offline", "--no-audit", "--no-fund", archive], empty);
const installed = readdirSync(path.join(empty, "node_modules")).filter((name) => !name.startsWith("."));
if (installed.join() !== "sabre-search") fail(`the package brings others along: ${installed.join(", ")}`);
const startMs = await answers();
console.log(
  JSON.stringify({
    packedMegabytes: Math.round(statSync(archive).size / MEGABYTE),
    installedMegabytes: Math.round(bytesUnder(path.join(empty, "node_modules")) / MEGABYTE),
    startMs,
  }),
);

function npm(args, cwd) {
  const options = { cwd, stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" };
  if (spawnSync("npm", [...args, "--loglevel=error"], options).status !== 0) fail(`\`npm ${args[0]}\` failed`);
}

function bytesUnder(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

/** Milliseconds until the first answer. */
async function answers() {
  const port = await freePort();
  const args = ["--offline", "sabre-search", "--http-addr", `127.0.0.1:${port}`, "--log-level", "error"];
  const started = performance.now();
  const server = spawn("npx", args, { cwd: empty, stdio: ["ignore", "inherit", "inherit"], detached: true });
  try {
    while (performance.now() - started < START_MS_MAX && server.exitCode === null) {
      const health = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
      if (health?.ok) return Math.round(performance.now() - started);
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    }
  } finally {
    // npx, and the server that it started and does not wait for.
    while (signal(-server.pid, "SIGTERM")) await new Promise((resume) => setTimeout(resume, STOP_MS));
  }
  return fail("the installed server did not answer");
}

/** Whether there was anybody left to hear it. */
function signal(group, name) {
  try {
    return process.kill(group, name);
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
