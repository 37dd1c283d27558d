// Runs the tests: all of them, or those whose path contains one of the given words (`node scripts/test.mjs segment crash`).
// Node 20 does not expand patterns by itself.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const files = readdirSync(path.join(root, "test"), { recursive: true })
  .map((name) => path.join("test", name))
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .sort();
const outcome = spawnSync(process.execPath, ["--import", "tsx", "--test", "--test-timeout=300000", ...files], {
  cwd: root,
  stdio: "inherit",
});
process.exit(outcome.status ?? 1);
