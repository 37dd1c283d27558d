/** A second thread on the same store: writes what it is told to and says when it is durable. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openRemoteStore } from "../../../src/storage/store/store.ts";

const { path, port } = workerData as { path: string; port: MessagePort };
const store = openRemoteStore(path, port);
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
