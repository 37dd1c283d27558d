// Compiles every src/kernels/<family>/assembly/index.ts (AssemblyScript) to WebAssembly over an imported shared memory,
// into src/kernels/<family>/generated/module.ts; those that build things work on a memory of their thread alone. With --check it writes nothing and fails when what is there differs.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = fileURLToPath(new URL("../src/kernels", import.meta.url));
const check = process.argv.includes("--check");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const stale = [];

/** Families that share their memory with no other thread. */
const PRIVATE = ["documents", "extract"];

for (const family of readdirSync(root)) {
  const folder = path.join(root, family, "assembly");
  if (!existsSync(path.join(folder, "index.ts")) || (wanted.length > 0 && !wanted.includes(family))) continue;
  const target = path.join(root, family, "generated", "module.ts");
  const code = source(await compiled(folder, family));
  if (existsSync(target) && readFileSync(target, "utf8") === code) continue;
  stale.push(family);
  if (check) continue;
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, code);
}

if (check && stale.length > 0) {
  console.error(`Stale kernels, run node scripts/kernels.mjs: ${stale.join(", ")}`);
  process.exit(1);
}

/** The kernels have no memory of their own, no allocator and no static data: addresses are all they are given. */
async function compiled(folder, family) {
  let binary = null;
  const options = ["--runtime", "stub", "--importMemory", "--initialMemory", "1", "--maximumMemory", "65536"];
  if (!PRIVATE.includes(family)) options.push("--sharedMemory");
  options.push("--enable", "simd,threads,bulk-memory", "--optimizeLevel", "3");
  options.push("--shrinkLevel", "0", "--converge", "--noAssert", "--use", "abort=", "--outFile", "module.wasm");
  const { error, stderr } = await asc.main(["index.ts", ...options], {
    readFile: (name, base) => {
      const file = path.resolve(folder, base, name);
      return existsSync(file) ? readFileSync(file, "utf8") : null;
    },
    writeFile: (_name, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === null) throw new Error(`kernels of ${family}:\n${stderr.toString()}`);
  return binary;
}

function source(binary) {
  const text = Buffer.from(binary)
    .toString("base64")
    .replace(/.{1,116}/g, '  "$&",\n');
  return `// @ts-nocheck\n/** Compiled by scripts/kernels.mjs; do not edit. */\nexport const MODULE = [\n${text}].join("");\n`;
}
