/**
 * One word of shared memory per request under way: who works on it, and whether it is still wanted. By it the front
 * cancels a request and finds out which ones a dead reader held. It carries no request and no answer.
 */

/** More than can be under way: those that may wait plus those every reader may hold. */
export const SLOTS = 4096;
const SLOT_BITS = 12;
const GENERATION_MASK = 2 ** (32 - SLOT_BITS) - 1;

const OWNER_MASK = 0xff;
const CANCELED = 0x100;

export function slotOf(requestId: number): number {
  return requestId & (SLOTS - 1);
}

export class Slots {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(SLOTS * 4)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  /** Front: the slot begins a new request. */
  clear(slot: number): void {
    Atomics.store(this.#words, slot, 0);
  }

  cancel(slot: number): void {
    Atomics.or(this.#words, slot, CANCELED);
  }

  /** Reader: the request is mine now. */
  own(slot: number, reader: number): void {
    Atomics.or(this.#words, slot, reader + 1);
  }

  isCanceled(slot: number): boolean {
    return (Atomics.load(this.#words, slot) & CANCELED) !== 0;
  }

  /** The reader that works on the request, or -1 while it waits. */
  owner(slot: number): number {
    return (Atomics.load(this.#words, slot) & OWNER_MASK) - 1;
  }
}

/** Request ids: the slot and how often it was used, so that a late answer is never taken for that of a later request. */
export class RequestIds {
  readonly #free = Array.from({ length: SLOTS }, (_, i) => SLOTS - 1 - i);
  readonly #generations = new Uint32Array(SLOTS);

  /** -1 when all slots are taken. */
  take(): number {
    const slot = this.#free.pop();
    if (slot === undefined) return -1;
    this.#generations[slot] = (this.#generations[slot]! + 1) & GENERATION_MASK;
    return ((this.#generations[slot]! << SLOT_BITS) | slot) >>> 0;
  }

  giveBack(requestId: number): void {
    this.#free.push(slotOf(requestId));
  }
}
