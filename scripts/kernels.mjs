// Compiles every src/base/kernels/<family>/assembly/index.ts (AssemblyScript) to WebAssembly over an imported shared memory, or,
// for some, over one that cannot be shared, into src/base/kernels/<family>/generated/module.ts. The constants of
// its layout.ts, if it has one, and the offsets of its structs go to generated/layout.ts. A module tells the digest of all it was made from:
// --check writes nothing and fails where that digest is another; --verify compiles everything and compares every byte.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = fileURLToPath(new URL("../src/base/kernels", import.meta.url));
const verify = process.argv.includes("--verify");
const check = verify || process.argv.includes("--check");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const stale = [];

/** Families over a memory that no other thread could share. */
const PRIVATE = ["documents", "format", "packed"];
const DIGEST = /SHA-256 ([0-9a-f]{64})/;

for (const family of readdirSync(root)) {
  const folder = path.join(root, family, "assembly");
  if (!existsSync(path.join(folder, "index.ts")) || (wanted.length > 0 && !wanted.includes(family))) continue;
  const layout = path.join(folder, "layout.ts");
  if (existsSync(layout)) put(family, "layout.ts", offsets(readFileSync(layout, "utf8")));
  const digest = digestOf(folder, family);
  if (!verify && DIGEST.exec(generated(family, "module.ts"))?.[1] === digest) continue;
  if (check && !verify) stale.push(`${family}/module.ts`);
  else put(family, "module.ts", source(await compiled(folder, family), digest));
}

if (check && stale.length > 0) {
  console.error(`Stale kernels, run node scripts/kernels.mjs: ${stale.join(", ")}`);
  process.exit(1);
}

function generated(family, name) {
  const target = path.join(root, family, "generated", name);
  return existsSync(target) ? readFileSync(target, "utf8") : "";
}

function put(family, name, code) {
  const target = path.join(root, family, "generated", name);
  if (generated(family, name) === code) return;
  stale.push(`${family}/${name}`);
  if (check) return;
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, code);
}

/** Its constants, and the fields of every class as numbers of 32-bit words, and how many words they are. */
function offsets(code) {
  const constants = [...code.matchAll(/^export const (\w+): \w+ = ([\d_]+);$/gm)].map(
    ([, name, value]) => `\nexport const ${name} = ${value};`,
  );
  const classes = [...code.matchAll(/^export class (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name, body]) => {
    const fields = [...body.matchAll(/^ {2}(\w+): (\w+);$/gm)];
    const odd = fields.find(([, , type]) => !["u32", "i32", "f32", "usize"].includes(type));
    if (odd !== undefined) throw new Error(`${name}.${odd[1]} does not take 32 bits`);
    const lines = fields.map(([, field], i) => `  ${field}: ${i},\n`).join("");
    return `\nexport const ${name} = {\n${lines}  WORDS: ${fields.length},\n} as const;\n`;
  });
  return `/** Fields of structs, in 32-bit words: made from assembly/layout.ts by scripts/kernels.mjs; do not edit. */\n${constants.join("")}${constants.length > 0 ? "\n" : ""}${classes.join("")}`;
}

/** Of the compiler, its options and every source that the family takes in, from other families too. */
function digestOf(folder, family) {
  const sources = new Set([path.join(folder, "index.ts")]);
  for (const file of sources) {
    const imports = readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g);
    for (const [, name] of imports) sources.add(`${path.resolve(path.dirname(file), name)}.ts`);
  }
  const hash = createHash("sha256").update(`${asc.version} ${options(family).join(" ")}`);
  for (const file of [...sources].sort()) hash.update(`\n${path.relative(root, file)}\n${readFileSync(file, "utf8")}`);
  return hash.digest("hex");
}

/** The kernels have no memory of their own, no allocator and no static data: addresses are all they are given. */
function options(family) {
  const list = ["--runtime", "stub", "--importMemory", "--initialMemory", "1", "--maximumMemory", "65536"];
  if (!PRIVATE.includes(family)) list.push("--sharedMemory");
  list.push("--enable", "simd,threads,bulk-memory", "--optimizeLevel", "3");
  list.push("--shrinkLevel", "0", "--converge", "--noAssert", "--use", "abort=", "--outFile", "module.wasm");
  return list;
}

async function compiled(folder, family) {
  let binary = null;
  const { error, stderr } = await asc.main(["index.ts", ...options(family)], {
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

function source(binary, digest) {
  const text = Buffer.from(binary)
    .toString("base64")
    .replace(/.{1,116}/g, '  "$&",\n');
  return `// @ts-nocheck\n/** Compiled by scripts/kernels.mjs from SHA-256 ${digest}; do not edit. */\nexport const MODULE = [\n${text}].join("");\n`;
}
