// Takes in the test files that it is given, one after the other.
import path from "node:path";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(path.resolve(file)).href);
