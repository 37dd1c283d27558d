/** A thread that has nothing to do but to wait until the store has settled. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openRemoteStore } from "../../../src/storage/store/store.ts";

const { path, port } = workerData as { path: string; port: MessagePort };
const store = openRemoteStore(path, port);
parentPort!.postMessage("opened");
await store.settled();
parentPort!.postMessage("settled");
await store.close();
