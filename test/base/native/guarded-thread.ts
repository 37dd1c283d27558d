/** Tries to load two files, one of them admitted before, and says how that went and what had to be read for it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

const { readSync } = fs;
let reads = 0;
fs.readSync = ((...args: Parameters<typeof readSync>) => {
  reads++;
  return readSync(...args);
}) as typeof readSync;
syncBuiltinESMExports();

await import("../../../src/base/native/guard.ts");
const { known, unknown } = workerData as { known: string; unknown: string };

function outcome(file: string): string {
  try {
    process.dlopen({ exports: {} }, file);
    return "loaded";
  } catch (error) {
    return /is not loaded/.test((error as Error).message) ? "refused" : (error as Error).message;
  }
}

reads = 0;
parentPort!.postMessage({ known: outcome(known), reads, unknown: outcome(unknown) });
