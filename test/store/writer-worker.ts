/** A second thread on the same store: writes what it is told to and says when it is durable. */
import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../../src/store/store.ts";

const store = openStore(workerData as string);
parentPort!.on("message", async (message: { from: number; count: number } | "close") => {
  if (message === "close") {
    await store.close();
    parentPort!.close();
    return;
  }
  const writes: Promise<void>[] = [];
  for (let id = message.from; id < message.from + message.count; id++) {
    writes.push(store.write(() => store.manifests.put(id, Buffer.from(`manifest ${id}`))));
  }
  await Promise.all(writes);
  parentPort!.postMessage("done");
});
