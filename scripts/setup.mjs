// Installs the dependencies of a fresh clone. Does nothing, quickly, when they are already there and newer than the
// lockfile; never changes the lockfile.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

function modifiedAt(path) {
  try {
    return statSync(root + path).mtimeMs;
  } catch {
    return 0;
  }
}

const installed = modifiedAt("node_modules/.package-lock.json");
if (installed === 0 || installed < modifiedAt("package-lock.json")) {
  // Not `npm ci`: it refuses a lockfile made where builds for other systems were not to be had.
  const flags = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  // Under `npm run` the very npm that runs us is named in the environment; elsewhere the one on the path is used.
  const npmScript = process.env.npm_execpath;
  const outcome = npmScript?.endsWith(".js")
    ? spawnSync(process.execPath, [npmScript, ...flags], { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
    : spawnSync("npm", flags, { cwd: root, stdio: ["ignore", "pipe", "inherit"], shell: process.platform === "win32" });
  if (outcome.status !== 0) {
    console.error(`npm install failed${outcome.error ? `: ${outcome.error.message}` : ""}`);
    process.exit(outcome.status || 1);
  }
}
