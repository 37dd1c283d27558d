/** Takes over documents as the compiled walk has packed them, and numbers their names when all are known. */
import { NAMES_MAX, packedNames, renumbering } from "../documents/packed.ts";
import type { StoredBodies } from "../documents/writer.ts";
import type { Workshop } from "./workshop.ts";

export class PackedBodies {
  readonly #shop: Workshop;
  readonly #offsets: Uint32Array;
  #rows = 0;
  /** What each slab became; null when documents cannot be packed. */
  #chunks: Uint8Array[] | null = [];

  constructor(shop: Workshop, rows: number) {
    this.#shop = shop;
    this.#offsets = new Uint32Array(rows + 1);
  }

  /** A name is spelled in another way than it would come back. */
  giveUp(): void {
    this.#chunks = null;
  }

  get isGivenUp(): boolean {
    return this.#chunks === null;
  }

  /** Bytes of all documents so far. */
  get length(): number {
    return this.#offsets[this.#rows]!;
  }

  /** The next documents, at an address, and where each ends there, counted on from `length`. */
  take(packed: number, endsAt: number, count: number): void {
    const { kernels, words } = this.#shop;
    if (kernels.arePacked() === 0) this.giveUp();
    if (this.#chunks === null || count === 0) return;
    const before = this.length;
    this.#offsets.set(words.subarray(endsAt / 4, endsAt / 4 + count), this.#rows + 1);
    this.#rows += count;
    this.#chunks.push(this.#shop.copyOfBytes(packed, this.length - before));
  }

  /** `arrived`: names at the top of documents in order of arrival, as the walk numbers them. */
  finish(arrived: readonly string[]): StoredBodies | null {
    if (this.#chunks === null || arrived.length > NAMES_MAX) return null;
    const numbers = renumbering(arrived, packedNames(arrived));
    if (numbers !== null) this.#renumber(this.#chunks, numbers);
    return { chunks: this.#chunks, offsets: this.#offsets, isPacked: true };
  }

  #renumber(chunks: readonly Uint8Array[], numbers: Uint8Array): void {
    const { kernels } = this.#shop;
    const numbersAt = kernels.allocate(NAMES_MAX);
    const room = kernels.allocate(Math.max(0, ...chunks.map(({ length }) => length)) + NAMES_MAX);
    const { bytes } = this.#shop;
    bytes.set(numbers, numbersAt);
    for (const chunk of chunks) {
      bytes.set(chunk, room);
      kernels.renumberNames(room, room + chunk.length, numbersAt);
      chunk.set(bytes.subarray(room, room + chunk.length));
    }
  }
}
