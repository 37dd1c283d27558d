/**
 * Waits that end: what never comes is told, with what was waited for. They are counted in pauses and looks, not by the clock: on
 * a machine that stops everything for a while, the clock goes on and a server does not.
 */

interface Patience {
  seconds?: number;
  /** The first pause between two looks, and the longest: on a busy machine, asking is what keeps things from coming. */
  firstMs?: number;
  mostMs?: number;
}

const PATIENCE_S = 120;
const GROWTH = 1.3;
/** A look that takes longer counts as this: one may wait for an answer, or everything may have been stopped meanwhile. */
const LOOK_MS_MAX = 5000;

/** Resolves once it is so. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: () => string,
  { seconds = PATIENCE_S, firstMs = 5, mostMs = 50 }: Patience = {},
): Promise<void> {
  let waitedMs = 0;
  for (let pauseMs = firstMs; ; pauseMs = Math.min(mostMs, pauseMs * GROWTH)) {
    const begin = performance.now();
    if (await isSo()) return;
    waitedMs += Math.min(LOOK_MS_MAX, performance.now() - begin);
    if (waitedMs > seconds * 1000) throw new Error(`waited ${seconds} s in vain: ${what()}`);
    await new Promise((resume) => setTimeout(resume, pauseMs));
    waitedMs += pauseMs;
  }
}

/** What the promise gives, unless that takes too long. */
export async function within<Value>(
  promise: Promise<Value>,
  what: () => string,
  seconds: number = PATIENCE_S,
): Promise<Value> {
  const [tooLong, settled] = patienceOf(seconds, what);
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => tooLong.addEventListener("abort", () => reject(tooLong.reason as Error))),
    ]);
  } finally {
    settled();
  }
}

/** A signal that is given after so long, and how to say that nobody waits any more. */
export function patienceOf(seconds: number, what: () => string): [signal: AbortSignal, settled: () => void] {
  const impatience = new AbortController();
  let beats = 0;
  const timer = setInterval(() => {
    if (++beats === seconds) impatience.abort(new Error(`waited ${seconds} s in vain: ${what()}`));
  }, 1000);
  return [impatience.signal, () => clearInterval(timer)];
}
