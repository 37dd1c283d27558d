// `npm run test:nodes`: runs the tests of what differs between versions of Node on every version that the README promises,
// whole servers on each transport. Each Node is its package in the registry, kept beside the other packages.
//
//   node scripts/nodes.mjs [VERSION…] [-- WORD…]
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const VERSIONS = ["20", "22", "24", "26"];
/** Parts of paths, as scripts/test.mjs takes them. */
const WORDS = [
  "front/",
  "memory/",
  "reader/sooner",
  "cli/",
  "native/",
  "start/",
  "store/",
  "server/search",
  "server/lifecycle",
];
const TRANSPORTS = ["auto", "node"];

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);
const end = given.includes("--") ? given.indexOf("--") : given.length;
const versions = end > 0 ? given.slice(0, end) : VERSIONS;
const words = given.length > end + 1 ? given.slice(end + 1) : WORDS;

/** The program of a version, fetched once. */
function nodeOf(version) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const prefix = path.join(root, "node_modules", ".cache", "nodes", version);
  const program = path.join(prefix, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(program)) {
    const flags = ["--prefix", prefix, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    run("npm", ["install", ...flags, `${name}@${version}`]);
  }
  return program;
}

function run(program, args, env = {}) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
    shell: program === "npm" && process.platform === "win32",
  });
  return status === 0;
}

const failed = [];
for (const version of versions) {
  const program = nodeOf(version);
  for (const transport of TRANSPORTS) {
    console.log(`\nNode ${version}, transport ${transport}`);
    const passed = run(program, ["scripts/test.mjs", ...words], { MEILI_HTTP_TRANSPORT: transport });
    if (!passed) failed.push(`Node ${version}, transport ${transport}`);
  }
}
console.log(failed.length === 0 ? `\npassed on Node ${versions.join(", ")}` : `\nfailed: ${failed.join("; ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
