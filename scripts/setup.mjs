// Installs the dependencies of a fresh clone. Does nothing, quickly, when node_modules is what the lockfile says; never
// changes the lockfile.
import { demandNode } from "./lib/node-version.mjs";

demandNode();
const { install } = await import("./lib/prepare.mjs");
await install();
