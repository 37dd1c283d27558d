/** A process that ends while one of its threads loads compiled code; told `thread`, it ends the thread first. */
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import "../../../src/base/native/guard.ts";
import { threadFile } from "../../../src/base/bundle/threads.ts";
import { whileNoneLoads } from "../../../src/base/native/loading.ts";
import { addonFile } from "./support.ts";

const { filename, execArgv } = threadFile(import.meta.url, "./slow-thread");
const worker = new Worker(filename, { workerData: addonFile("lmdb"), execArgv });
worker.once("message", async () => {
  if (process.argv[2] === "thread") {
    await whileNoneLoads(() => worker.terminate());
    writeSync(1, "ended\n");
  }
  process.exit(0);
});
