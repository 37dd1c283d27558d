// Generates the TypeScript of every schemas/*.fbs into src/storage/segment/generated. With --check it writes nothing and fails when
// what is there differs, so that the committed code can never be older than its schema:
//
//     node --import tsx scripts/schemas.ts [--check]
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { generate } from "./schemas/generate.ts";
import { parseSchema } from "./schemas/parse.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = path.join(root, "schemas");
const target = path.join(root, "src", "storage", "segment", "generated");

const names = readdirSync(folder).filter((name) => name.endsWith(".fbs"));
const schemas = new Map(names.sort().map((name) => [path.basename(name, ".fbs"), read(name)]));
const generated = generate(schemas);
const present = existsSync(target) ? readdirSync(target) : [];
const stale = [
  ...present.filter((name) => !generated.has(name)),
  ...[...generated]
    .filter(([name, code]) => !present.includes(name) || readFileSync(path.join(target, name), "utf8") !== code)
    .map(([name]) => name),
];

if (process.argv.includes("--check")) {
  if (stale.length > 0) {
    console.error(`Stale generated code, run node --import tsx scripts/schemas.ts: ${stale.join(", ")}`);
    process.exit(1);
  }
} else {
  mkdirSync(target, { recursive: true });
  for (const name of stale) {
    const code = generated.get(name);
    if (code === undefined) rmSync(path.join(target, name));
    else writeFileSync(path.join(target, name), code);
  }
}

function read(name: string): ReturnType<typeof parseSchema> {
  try {
    return parseSchema(readFileSync(path.join(folder, name), "utf8"));
  } catch (problem) {
    throw new Error(`schemas/${name}: ${(problem as Error).message}`);
  }
}
