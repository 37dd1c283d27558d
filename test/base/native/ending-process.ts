/** A process that ends while one of its threads loads compiled code. */
import { Worker } from "node:worker_threads";
import "../../../src/base/native/guard.ts";
import { threadFile } from "../../../src/base/bundle/threads.ts";
import { addonFile } from "./support.ts";

const { filename, execArgv } = threadFile(import.meta.url, "./slow-thread");
const worker = new Worker(filename, { workerData: addonFile("lmdb"), execArgv });
worker.once("message", () => process.exit(0));
