/**
 * A ring of byte records in shared memory: one thread pushes, any number of threads take. It moves bytes and wakes a
 * pusher that waits for room; it never knows what a record means and never loses or repeats one.
 *
 * ```
 *            head (taken up to here)            tail (written up to here)
 *             |                                  |
 *   [ free ]  [len|record..][len|record....][..] [ free ]        positions grow for ever, place = position mod size
 *
 *   push (one thread)                         take (many threads)
 *   1 room? size - (tail - head)              1 h = head, t = tail; equal: nothing there
 *   2 write length and bytes at tail          2 copy length and bytes at h
 *   3 tail += record                          3 head: h -> h + record, by compare-and-swap
 *                                               failed: another thread was first, the copy may be torn, again from 1
 *   sleep until drained                       4 where the pusher may wait for room: drained += 1, notify it
 *   1 d = drained
 *   2 push: done? do not sleep
 *   3 wait while drained is still d
 * ```
 * The counter is read before the ring is found full: a take in between changes it, and the wait returns at once. A flag
 * that says "I sleep" set after the look would lose that wake-up. A thread that dies before step 3 of take has taken
 * nothing; after it, the record is its own.
 *
 * A bounded buffer with one producer and many consumers (SPMC); with one of each: Lamport 1977, "Proving the Correctness of
 * Multiprocess Programs".
 */

import { aligned, COPY_ALIGNMENT } from "./copying.ts";

const HEAD = 0;
const TAIL = 16;
const DRAINED = 32;
/** Three counters, each on a cache line of its own. */
const CONTROL_BYTES = 192;
/** Records and their bytes begin at multiples of it: a length never wraps around, and copies are as quick as they can be. */
const LENGTH_BYTES = COPY_ALIGNMENT;

export class ByteRing {
  readonly buffer: SharedArrayBuffer;
  /** Longest record that can be pushed into an empty ring. */
  readonly recordBytesMax: number;
  readonly #counters: Int32Array;
  readonly #lengths: Int32Array;
  readonly #data: Uint8Array;
  readonly #size: number;
  readonly #mask: number;

  /** Opens the ring another thread made. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#size = buffer.byteLength - CONTROL_BYTES;
    this.#mask = this.#size - 1;
    if (this.#size < 2 * LENGTH_BYTES || (this.#size & this.#mask) !== 0) {
      throw new RangeError("the size of a ring is a power of two");
    }
    this.recordBytesMax = this.#size - LENGTH_BYTES;
    this.#counters = new Int32Array(buffer, 0, CONTROL_BYTES / 4);
    this.#lengths = new Int32Array(buffer, CONTROL_BYTES);
    this.#data = new Uint8Array(buffer, CONTROL_BYTES);
  }

  static create(bytes: number): ByteRing {
    return new ByteRing(new SharedArrayBuffer(CONTROL_BYTES + bytes));
  }

  /** Adds a record made of two pieces. False when there is no room now. Only one thread may push. */
  push(first: Uint8Array, second: Uint8Array | null): boolean {
    const length = first.length + (second === null ? 0 : second.length);
    const record = recordBytes(length);
    const tail = Atomics.load(this.#counters, TAIL);
    const used = (tail - Atomics.load(this.#counters, HEAD)) >>> 0;
    if (record > this.#size - used) return false;
    Atomics.store(this.#lengths, (tail & this.#mask) >>> 2, length);
    this.#write(tail + LENGTH_BYTES, first);
    if (second !== null) this.#write(tail + LENGTH_BYTES + first.length, second);
    Atomics.store(this.#counters, TAIL, (tail + record) | 0);
    return true;
  }

  /** The oldest record, as a copy of its own, in bytes that `room` has for it; null when there is none. */
  take(room: (bytes: number) => Buffer = Buffer.allocUnsafe): Buffer | null {
    const counters = this.#counters;
    for (;;) {
      const head = Atomics.load(counters, HEAD);
      if (head === Atomics.load(counters, TAIL)) return null;
      const length = Atomics.load(this.#lengths, (head & this.#mask) >>> 2);
      // Overwritten since by the pushing thread, because another thread took the record.
      if (length < 0 || length > this.recordBytesMax) continue;
      if (Atomics.load(counters, HEAD) !== head) continue;
      const copy = room(length);
      this.#read(head + LENGTH_BYTES, copy);
      if (Atomics.compareExchange(counters, HEAD, head, (head + recordBytes(length)) | 0) === head) return copy;
    }
  }

  /** Where the latest record ends. */
  get written(): number {
    return Atomics.load(this.#counters, TAIL);
  }

  /** Whether a thread has taken the record that ends there. */
  hasTaken(end: number): boolean {
    return ((Atomics.load(this.#counters, HEAD) - end) | 0) >= 0;
  }

  get drained(): number {
    return Atomics.load(this.#counters, DRAINED);
  }

  signalDrained(): void {
    Atomics.add(this.#counters, DRAINED, 1);
    Atomics.notify(this.#counters, DRAINED);
  }

  waitDrained(since: number, timeoutMs: number): void {
    Atomics.wait(this.#counters, DRAINED, since, timeoutMs);
  }

  #write(position: number, bytes: Uint8Array): void {
    const at = position & this.#mask;
    const room = this.#size - at;
    if (bytes.length <= room) {
      this.#data.set(bytes, at);
      return;
    }
    this.#data.set(bytes.subarray(0, room), at);
    this.#data.set(bytes.subarray(room), 0);
  }

  #read(position: number, into: Uint8Array): void {
    const at = position & this.#mask;
    const room = this.#size - at;
    if (into.length <= room) {
      into.set(this.#data.subarray(at, at + into.length));
      return;
    }
    into.set(this.#data.subarray(at));
    into.set(this.#data.subarray(0, into.length - room), room);
  }
}

function recordBytes(length: number): number {
  return aligned(length + LENGTH_BYTES);
}
