// `npm test`: installs and builds what is missing, then lints, checks types and runs every test. With words, runs the test
// files whose path contains one of them and nothing else (`node scripts/test.mjs segment crash`); what starts with a dash is
// passed on to node (`--test-name-pattern=kills`).
import { demandNode } from "./lib/node-version.mjs";

demandNode();
const { prepare, root } = await import("./lib/prepare.mjs");
await prepare();
const { TestRun, testFilesIn } = await import("./lib/test-run.mjs");
const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const flags = process.argv.slice(2).filter((word) => word.startsWith("-"));
const files = testFilesIn(root, words);
const checks = words.length === 0 ? ["lint", "typecheck"] : [];
process.exitCode = (await new TestRun(root, { flags }).run(files, checks)) ? 0 : 1;
