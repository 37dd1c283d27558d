/** The thread behind `import-dump.ts`: loads one dump, says how that went, and ends. */
import "../../base/native/guard.ts";
import { parentPort, workerData } from "node:worker_threads";
import { type DumpLoad, loadDump } from "../../engine/restore/load.ts";
import type { FromDumpThread } from "./import-dump.ts";

const say = (message: FromDumpThread): void => parentPort!.postMessage(message);

loadDump(workerData as DumpLoad, (message) => say({ kind: "warning", message })).then(
  () => say({ kind: "loaded" }),
  (problem) => say({ kind: "failed", reason: problem instanceof Error ? problem.message : String(problem) }),
);
