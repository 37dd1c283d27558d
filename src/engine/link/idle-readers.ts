/**
 * Which of the threads that take from a ring sleep, and who is woken when something was pushed: the first one that sleeps.
 * So work that comes piece by piece goes to one thread, whose code, caches and tables are warm, and the others are called
 * only when that one is busy. It moves no records.
 *
 * ```
 *   thread                                    pusher
 *   1 take: something? do not sleep           1 push
 *   2 word = ASLEEP                           2 first word that is ASLEEP -> AWAKE, by compare-and-swap: notify it
 *   3 take: something? word = AWAKE             none is: all are awake, and look again before they sleep
 *   4 wait while word is ASLEEP
 *   5 word = AWAKE
 * ```
 * The word is set before the last look: what is pushed after that look finds it, and what was pushed before is seen.
 *
 * An eventcount for each thread: Reed, Kanodia 1979, "Synchronization with Eventcounts and Sequencers".
 */

const AWAKE = 0;
const ASLEEP = 1;
/** Each word on a cache line of its own. */
const STRIDE = 16;

export class IdleReaders {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  /** Opens what another thread made. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  static create(threads: number): IdleReaders {
    return new IdleReaders(new SharedArrayBuffer(threads * STRIDE * 4));
  }

  /** Wakes the first thread that sleeps, if any does. */
  wakeOne(): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at += STRIDE) {
      if (Atomics.compareExchange(words, at, ASLEEP, AWAKE) !== ASLEEP) continue;
      Atomics.notify(words, at);
      return;
    }
  }

  wakeAll(): void {
    for (let at = 0; at < this.#words.length; at += STRIDE) {
      Atomics.store(this.#words, at, AWAKE);
      Atomics.notify(this.#words, at);
    }
  }

  /** The thread will sleep unless its last look finds something: `markBusy` or `sleep` must follow. */
  markIdle(thread: number): void {
    Atomics.store(this.#words, thread * STRIDE, ASLEEP);
  }

  /** Others are woken from now on. */
  markBusy(thread: number): void {
    Atomics.store(this.#words, thread * STRIDE, AWAKE);
  }

  /** Whether another thread sleeps, which would be woken. */
  othersIdle(thread: number): boolean {
    for (let at = 0; at < this.#words.length; at += STRIDE) {
      if (at !== thread * STRIDE && Atomics.load(this.#words, at) === ASLEEP) return true;
    }
    return false;
  }

  /** False when the time ran out. */
  sleep(thread: number, timeoutMs: number): boolean {
    const isWoken = Atomics.wait(this.#words, thread * STRIDE, ASLEEP, timeoutMs) !== "timed-out";
    this.markBusy(thread);
    return isWoken;
  }

  /** For a thread that has other things under way: resolves instead of blocking. */
  async sleepAsync(thread: number, timeoutMs: number): Promise<void> {
    await Atomics.waitAsync(this.#words, thread * STRIDE, ASLEEP, timeoutMs).value;
    this.markBusy(thread);
  }
}
