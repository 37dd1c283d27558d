/** Numbers ids in order of first appearance, without a string for any of them. */
import { GrowingIds, type IdList } from "../../base/document/id-list.ts";

const FIRST_SLOTS = 64;
/** A shift and the prime that go with it, as in FNV-1a. */
const PRIME = 0x01000193;

export class IdTable {
  readonly #ids = new GrowingIds();
  #hashes = new Int32Array(FIRST_SLOTS / 2);
  /** Number of an id plus one; 0 for a free slot. At most half of them are taken. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** Ids that can be found by their hashes; the others wait until one is looked for. */
  #hashed = 0;
  /** Chosen anew, so that nobody can send ids prepared to collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  get size(): number {
    return this.#ids.count;
  }

  /** All ids by number; of use until the next one is added. */
  get list(): IdList {
    return this.#ids.view();
  }

  /** The number of the id in `bytes[start, end)`, which is `size` before the call when it is new. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    if (this.#hashed < this.size) this.#hashAll();
    const hash = this.#hashOf(bytes, start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let held = this.#slots[slot]!; held !== 0; held = this.#slots[slot]!) {
      if (this.#hashes[held - 1] === hash && this.#isSame(held - 1, bytes, start, end)) return held - 1;
      slot = (slot + 1) & mask;
    }
    return this.#add(bytes, start, end, hash, slot);
  }

  /** Ids that are all new, and differ. */
  addNew(ids: IdList): void {
    this.#ids.appendAll(ids);
  }

  #hashAll(): void {
    let room = this.#slots.length;
    while (2 * (this.size + 1) > room) room *= 2;
    const hashes = new Int32Array(room / 2);
    hashes.set(this.#hashes);
    const { bytes, offsets } = this.#ids;
    for (let i = this.#hashed; i < this.size; i++) hashes[i] = this.#hashOf(bytes, offsets[i]!, offsets[i + 1]!);
    this.#hashes = hashes;
    this.#hashed = this.size;
    this.#fillSlots(room);
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const number = this.#ids.count;
    this.#ids.push(bytes, start, end);
    this.#slots[slot] = number + 1;
    this.#hashes[number] = hash;
    this.#hashed++;
    if (2 * (number + 1) === this.#slots.length) this.#grow();
    return number;
  }

  #hashOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = this.#seed | 0;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, PRIME);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return hash ^ (hash >>> 13);
  }

  #isSame(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { bytes: own, offsets } = this.#ids;
    const begin = offsets[number]!;
    if (offsets[number + 1]! - begin !== end - start) return false;
    for (let i = start; i < end; i++) if (own[begin + i - start] !== bytes[i]) return false;
    return true;
  }

  #grow(): void {
    const hashes = new Int32Array(this.#slots.length);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    this.#fillSlots(2 * this.#slots.length);
  }

  #fillSlots(count: number): void {
    const hashes = this.#hashes;
    const slots = new Uint32Array(count);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#ids.count; number++) {
      let slot = hashes[number]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}
