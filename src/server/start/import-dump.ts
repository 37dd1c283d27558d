/** Loads a dump into an empty database directory, on a thread of its own: the memory it takes goes with it. */
import { Worker } from "node:worker_threads";
import { serverThread } from "../../base/bundle/threads.ts";
import type { Log } from "../../base/log/log.ts";
import type { DumpLoad } from "../../engine/restore/load.ts";

export type FromDumpThread =
  | { kind: "warning"; message: string }
  | { kind: "loaded" }
  | { kind: "failed"; reason: string };

export async function importDump(load: DumpLoad, log: Log): Promise<void> {
  log.info("main", "loading a dump", { file: load.dumpPath });
  const { filename, execArgv } = serverThread("server/start/import-dump-thread");
  const worker = new Worker(filename, { workerData: load, execArgv, name: "import-dump" });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: FromDumpThread) => {
        if (message.kind === "loaded") resolve();
        else if (message.kind === "failed") reject(new Error(message.reason));
        else log.warn("main", message.message);
      });
      worker.on("error", reject);
      worker.on("exit", (code) => reject(new Error(`its thread ended with ${code}`)));
    });
  } finally {
    await worker.terminate();
  }
  log.info("main", "the dump is loaded", { file: load.dumpPath });
}
