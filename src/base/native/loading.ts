/**
 * Threads that load compiled code right now. One that is ended meanwhile takes the whole process along with an abort, so whoever ends
 * a thread, or the process, waits for them, and keeps others from beginning:
 *
 * ```
 *  thread                                   who ends one
 *  1 loading += 1                           1 ending += 1
 *  2 ending? loading -= 1, wait, again 1    2 wait while loading > 0
 *  3 load, loading -= 1                     3 end it, ending -= 1
 * ```
 * Whichever comes first, one of the two sees the other.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

const KEY = "sabre-search/loading";
const LOADING = 0;
const ENDING = 1;
/** What should end does. */
const WAIT_MS_MAX = 5000;

const words = new Int32Array(sharedWords());
if (isMainThread) process.once("exit", keepFromLoading);

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
  while (!isMainThread && Atomics.load(words, ENDING) > 0) {
    loaded();
    waitWhile(ENDING, Infinity);
    Atomics.add(words, LOADING, 1);
  }
  try {
    load();
  } finally {
    loaded();
  }
}

/** Runs what ends a thread. */
export function whileNoneLoads<Value>(end: () => Value): Value {
  keepFromLoading();
  try {
    return end();
  } finally {
    Atomics.sub(words, ENDING, 1);
    Atomics.notify(words, ENDING);
  }
}

function loaded(): void {
  Atomics.sub(words, LOADING, 1);
  Atomics.notify(words, LOADING);
}

function keepFromLoading(): void {
  Atomics.add(words, ENDING, 1);
  waitWhile(LOADING, WAIT_MS_MAX);
}

/** Until it is 0. */
function waitWhile(word: number, ms: number): void {
  const end = performance.now() + ms;
  for (let left = Atomics.load(words, word); left > 0 && performance.now() < end; left = Atomics.load(words, word)) {
    Atomics.wait(words, word, left, end - performance.now());
  }
}
