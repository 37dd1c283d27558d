/**
 * A table from the bytes of a member's name to a number, asked for every member of every document: it compares bytes and
 * makes no string unless a name is new or escaped. Numbers are given by the caller; nothing is ever removed, but for all at once.
 */
import { KIB } from "../limits.ts";
import { ByteSink } from "./bytes.ts";

/** Chosen anew in each thread, so that nobody can send names prepared to collide. */
const SEED = (Math.random() * 0x7fffffff) | 0;
const FIRST_ENTRIES = 16;
const FIRST_NAME_BYTES = 256;
/** Room that is kept when the names are forgotten. */
const KEPT_ENTRIES_MAX = 256;
const KEPT_NAME_BYTES_MAX = 16 * KIB;

export class KeyTable {
  size = 0;
  /** Names end to end; where each begins, ends, and its number. */
  #names = new ByteSink(FIRST_NAME_BYTES);
  #starts = new Uint32Array(FIRST_ENTRIES);
  #ends = new Uint32Array(FIRST_ENTRIES);
  #values = new Float64Array(FIRST_ENTRIES);
  /** Open addressing: entry + 1, or 0. */
  #slots = new Uint32Array(2 * FIRST_ENTRIES);

  /** The number of the name in `bytes[start, end)`, or -1. */
  get(bytes: Uint8Array, start: number, end: number): number {
    const entry = this.#slots[this.#slotOf(bytes, start, end)]!;
    return entry === 0 ? -1 : this.#values[entry - 1]!;
  }

  /** Gives the name a number; the name must not be there yet. */
  add(bytes: Uint8Array, start: number, end: number, value: number): void {
    if (this.size === this.#starts.length) this.#grow();
    const entry = this.size++;
    this.#starts[entry] = this.#names.length;
    this.#names.bytes(bytes, start, end);
    this.#ends[entry] = this.#names.length;
    this.#values[entry] = value;
    this.#slots[this.#slotOf(bytes, start, end)] = entry + 1;
  }

  /** Forgets all names. */
  clear(): void {
    this.size = 0;
    this.#names.reset();
    if (this.#names.buffer.length > KEPT_NAME_BYTES_MAX) this.#names = new ByteSink(FIRST_NAME_BYTES);
    if (this.#starts.length <= KEPT_ENTRIES_MAX) {
      this.#slots.fill(0);
      return;
    }
    this.#starts = new Uint32Array(FIRST_ENTRIES);
    this.#ends = new Uint32Array(FIRST_ENTRIES);
    this.#values = new Float64Array(FIRST_ENTRIES);
    this.#slots = new Uint32Array(2 * FIRST_ENTRIES);
  }

  /** The slot that holds the name, or the free one where it belongs. */
  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    const slots = this.#slots;
    const starts = this.#starts;
    const ends = this.#ends;
    const names = this.#names.buffer;
    const mask = slots.length - 1;
    const length = end - start;
    let slot = hash(bytes, start, end) & mask;
    for (;;) {
      const entry = slots[slot]!;
      if (entry === 0) return slot;
      const nameStart = starts[entry - 1]!;
      if (ends[entry - 1]! - nameStart === length) {
        let i = 0;
        while (i < length && names[nameStart + i] === bytes[start + i]) i++;
        if (i === length) return slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const capacity = this.#starts.length * 2;
    this.#starts = copyInto(new Uint32Array(capacity), this.#starts);
    this.#ends = copyInto(new Uint32Array(capacity), this.#ends);
    this.#values = copyInto(new Float64Array(capacity), this.#values);
    this.#slots = new Uint32Array(capacity * 2);
    const names = this.#names.buffer;
    for (let entry = 0; entry < this.size; entry++) {
      this.#slots[this.#freeSlot(hash(names, this.#starts[entry]!, this.#ends[entry]!))] = entry + 1;
    }
  }

  #freeSlot(hashed: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashed & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }
}

function copyInto<T extends Uint32Array | Float64Array>(target: T, source: T): T {
  target.set(source);
  return target;
}

function hash(bytes: Uint8Array, start: number, end: number): number {
  let hashed = SEED;
  for (let i = start; i < end; i++) {
    hashed = Math.imul(hashed ^ bytes[i]!, 0x5bd1e995);
    hashed ^= hashed >>> 15;
  }
  return (hashed ^ (hashed >>> 7)) >>> 0;
}
