// Loaded into every thread of a server before anything else: ends one of its reader threads whenever it gets SIGUSR2, as a fault
// would, at whatever it is. With one exception: Node ends the whole process where a thread is ended while it makes a compressor, between
// the making and the initialization of its state ("close before init"). So a thread tells when it is about to, and is spared then:
//
//   thread                                    killer
//   1 its word = 1                            1 killing += 1
//   2 killing? its word = 0, wait, again 1    2 wait while the thread's word is 1
//   3 compress, its word = 0                  3 end it, killing -= 1 once it is over
const threads = require("node:worker_threads");
const zlib = require("node:zlib");
const { syncBuiltinESMExports } = require("node:module");

const KEY = "reader-killer";
const WORDS = 65_536;
const KILLING = 0;

if (threads.isMainThread) threads.setEnvironmentData(KEY, new SharedArrayBuffer(4 * WORDS));
const words = new Int32Array(threads.getEnvironmentData(KEY));
const wordOf = (threadId) => 1 + (threadId % (WORDS - 1));

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

/** Of a thread that is not ended meanwhile. */
function spared(compress) {
  const own = wordOf(threads.threadId);
  return (...args) => {
    Atomics.store(words, own, 1);
    for (let killing = Atomics.load(words, KILLING); killing > 0; killing = Atomics.load(words, KILLING)) {
      free(own);
      Atomics.wait(words, KILLING, killing);
      Atomics.store(words, own, 1);
    }
    try {
      return compress(...args);
    } finally {
      free(own);
    }
  };
}

function free(word) {
  Atomics.store(words, word, 0);
  Atomics.notify(words, word);
}

const COMPRESSORS = ["gzipSync", "deflateSync", "deflateRawSync", "brotliCompressSync", "brotliDecompressSync"];
if (!threads.isMainThread) for (const name of COMPRESSORS) zlib[name] = spared(zlib[name]);
syncBuiltinESMExports();

if (threads.isMainThread) {
  process.on("SIGUSR2", () => {
    const [first] = readers;
    if (first === undefined) return;
    readers.delete(first);
    Atomics.add(words, KILLING, 1);
    const itsWord = wordOf(first.threadId);
    while (Atomics.load(words, itsWord) === 1) Atomics.wait(words, itsWord, 1);
    void first.terminate().then(() => {
      Atomics.sub(words, KILLING, 1);
      Atomics.notify(words, KILLING);
    });
  });
}
