/**
 * How many single tasks a second become durable: 64 clients at once against one task log, each waiting for its own
 * answer. Run with `node --import tsx perf/enqueue-store.ts [directory] [clients] [seconds]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TaskContent } from "../src/base/contract/task.ts";
import { openStore } from "../src/storage/store/store.ts";
import { TaskLog } from "../src/storage/tasks/log.ts";

const directory = mkdtempSync(join(process.argv[2] ?? tmpdir(), "sabre-enqueue-"));
const clients = Number(process.argv[3] ?? 64);
const seconds = Number(process.argv[4] ?? 3);

const store = openStore(join(directory, "store"));
const log = new TaskLog(store, { onEnqueued: () => undefined });
const payload = Buffer.alloc(300, "x");
const content: TaskContent = {
  type: "documentAdditionOrUpdate",
  method: "replace",
  primaryKey: null,
  payload: { kind: "inline", name: "", bytes: 0 },
  documentsCount: 1,
  allowIndexCreation: true,
  skipCreation: false,
};

let count = 0;
const start = performance.now();
const until = start + seconds * 1000;
await Promise.all(
  Array.from({ length: clients }, async () => {
    while (performance.now() < until) {
      await log.enqueue(content, "movies", { payload });
      count++;
    }
  }),
);
const elapsed = (performance.now() - start) / 1000;
const loading = performance.now();
new TaskLog(store, { onEnqueued: () => undefined });
const loaded = performance.now() - loading;
console.log(
  JSON.stringify({ clients, tasks: count, perSecond: Math.round(count / elapsed), reloadMs: Math.round(loaded) }),
);
await store.close();
rmSync(directory, { recursive: true, force: true });
