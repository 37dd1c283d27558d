/** Bytes that leave the workshop in pieces: copied, or lent until the next build begins there. */
import { concatenated, type PackedVector } from "../flat-table.ts";
import type { Workshop } from "./workshop.ts";

export class Pieces {
  byteLength = 0;
  readonly #shop: Workshop;
  readonly #lends: boolean;
  readonly #copies: Uint8Array[] = [];
  /** Address and length of each that is lent. */
  readonly #places: number[] = [];

  constructor(shop: Workshop, lends: boolean) {
    this.#shop = shop;
    this.#lends = lends;
  }

  /** What lies there now. */
  take(at: number, length: number): void {
    if (length === 0) return;
    this.byteLength += length;
    if (!this.#lends) {
      this.#copies.push(this.#shop.copyOfBytes(at, length));
      return;
    }
    const own = this.#shop.kernels.allocate(length);
    this.#shop.kernels.copy(own, at, length);
    this.#places.push(own, length);
  }

  /** Lets each piece be changed where it lies: `change` gets its address and length. */
  change(change: (at: number, length: number) => void): void {
    for (let i = 0; i < this.#places.length; i += 2) change(this.#places[i]!, this.#places[i + 1]!);
    if (this.#copies.length === 0) return;
    const room = this.#shop.kernels.allocate(Math.max(...this.#copies.map(({ length }) => length)));
    for (const copy of this.#copies) {
      this.#shop.bytes.set(copy, room);
      change(room, copy.length);
      copy.set(this.#shop.bytes.subarray(room, room + copy.length));
    }
  }

  get chunks(): Iterable<Uint8Array> {
    return this.#lends ? this.#lent() : this.#copies;
  }

  /** All of them, and so many zeros behind. */
  vector(zeros = 0): PackedVector {
    const chunks = concatenated([this.chunks, [new Uint8Array(zeros)]]);
    return { chunks, byteLength: this.byteLength + zeros, elementBytes: 1 };
  }

  /** The memory may have moved since they were taken. */
  *#lent(): Generator<Uint8Array> {
    for (let i = 0; i < this.#places.length; i += 2) {
      yield this.#shop.bytes.subarray(this.#places[i]!, this.#places[i]! + this.#places[i + 1]!);
    }
  }
}
