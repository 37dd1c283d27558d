// Loaded into a server before anything else: ends one of its reader threads whenever it gets SIGUSR2, as a fault would.
const threads = require("node:worker_threads");
const { syncBuiltinESMExports } = require("node:module");

const readers = new Set();

threads.Worker = class extends threads.Worker {
  postMessage(message, ...rest) {
    // What the pool of readers has its threads run (`engine/reader/threads.ts`).
    if (message?.name === "readerLoop") {
      readers.add(this);
      this.once("exit", () => readers.delete(this));
    }
    return super.postMessage(message, ...rest);
  }
};
syncBuiltinESMExports();

if (threads.isMainThread) {
  process.on("SIGUSR2", () => {
    const [first] = readers;
    readers.delete(first);
    first?.terminate();
  });
}
