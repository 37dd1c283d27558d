/**
 * Preloaded into a server under test: measures, between two signals (SIGUSR2), what the front's thread works in each turn of its event loop. That is the
 * time that the system counts for the thread, which neither a neighbour nor a wait for another thread changes; it is exact only when the thread has just let go
 * of its core, so it sleeps for a moment after each turn. Linux only.
 */
const { isMainThread } = require("node:worker_threads");
/** Shorter ones are over before the thread has gone to sleep. */
const SLEEP_MS = 0.1;
if (isMainThread) {
  const { openSync, readSync, writeSync } = require("node:fs");
  const schedule = openSync("/proc/thread-self/schedstat", "r");
  const bytes = Buffer.alloc(128);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const workedMs = () => {
    Atomics.wait(cell, 0, 0, SLEEP_MS);
    return Number(bytes.latin1Slice(0, readSync(schedule, bytes, 0, 128, 0)).split(" ")[0]) / 1e6;
  };
  let isOn = false;
  let longest = 0;
  let from = 0;
  const turn = () => {
    if (!isOn) return;
    const now = workedMs();
    longest = Math.max(longest, now - from);
    from = now;
    setImmediate(turn);
  };
  process.on("SIGUSR2", () => {
    isOn = !isOn;
    if (isOn) {
      longest = 0;
      from = workedMs();
      setImmediate(turn);
      writeSync(1, "front-turns begin\n");
    } else writeSync(1, `front-turns ${longest}\n`);
  });
}
