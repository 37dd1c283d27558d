/**
 * Threads that load compiled code right now. One that is ended meanwhile takes the whole process along with an abort, so the end of
 * the process waits for them, and keeps others from beginning:
 *
 * ```
 *  thread                              main thread, when the process ends
 *  1 loading += 1                      1 isEnding = 1
 *  2 isEnding? loading -= 1, wait      2 wait while loading > 0
 *  3 load, loading -= 1
 * ```
 * Whichever comes first, one of the two sees the other.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

const KEY = "sabre-search/loading";
const LOADING = 0;
const IS_ENDING = 1;
/** A process that should end does. */
const WAIT_MS_MAX = 5000;

const words = new Int32Array(sharedWords());
if (isMainThread) process.once("exit", waitForThreads);

/** The same for all threads of a process: they start with what the one that started them knows. */
function sharedWords(): SharedArrayBuffer {
  const known = getEnvironmentData(KEY) as unknown;
  if (known instanceof SharedArrayBuffer) return known;
  const made = new SharedArrayBuffer(8);
  setEnvironmentData(KEY, made as never);
  return made;
}

/** Runs what loads compiled code. */
export function whileLoading(load: () => void): void {
  Atomics.add(words, LOADING, 1);
  if (!isMainThread && Atomics.load(words, IS_ENDING) !== 0) {
    loaded();
    Atomics.wait(words, IS_ENDING, 1);
  }
  try {
    load();
  } finally {
    loaded();
  }
}

function loaded(): void {
  Atomics.sub(words, LOADING, 1);
  Atomics.notify(words, LOADING);
}

function waitForThreads(): void {
  Atomics.store(words, IS_ENDING, 1);
  const end = performance.now() + WAIT_MS_MAX;
  for (
    let left = Atomics.load(words, LOADING);
    left > 0 && performance.now() < end;
    left = Atomics.load(words, LOADING)
  ) {
    Atomics.wait(words, LOADING, left, end - performance.now());
  }
}
