/** A thread whose compiled code takes a while to load. */
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const sleeping = new Int32Array(new SharedArrayBuffer(4));
process.dlopen = () => {
  parentPort!.postMessage("begun");
  Atomics.wait(sleeping, 0, 0, 400);
  writeSync(1, "loaded\n");
};
await import("../../../src/base/native/guard.ts");
process.dlopen({ exports: {} }, workerData as string);
