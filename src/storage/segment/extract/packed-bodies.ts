/** Takes over documents as the compiled walk has packed them, and numbers their names when all are known. */
import { NAMES_MAX, packedNames, renumbering } from "../documents/packed.ts";
import type { StoredBodies } from "../documents/writer.ts";
import { Pieces } from "./pieces.ts";
import type { Workshop } from "./workshop.ts";

export class PackedBodies {
  readonly #shop: Workshop;
  readonly #offsets: Uint32Array;
  readonly #pieces: Pieces;
  #rows = 0;
  #isGivenUp = false;

  /** `lends`: what comes of it is of use until the next build begins in the workshop. */
  constructor(shop: Workshop, rows: number, lends: boolean) {
    this.#shop = shop;
    this.#offsets = new Uint32Array(rows + 1);
    this.#pieces = new Pieces(shop, lends);
  }

  /** Documents cannot be packed, for example because a name is spelled in another way than it would come back. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Bytes of all documents so far. */
  get length(): number {
    return this.#offsets[this.#rows]!;
  }

  /** The next documents, at an address, and where each ends there, counted on from `length`. */
  take(packed: number, endsAt: number, count: number): void {
    const { kernels, words } = this.#shop;
    if (kernels.arePacked() === 0) this.giveUp();
    if (this.#isGivenUp || count === 0) return;
    const before = this.length;
    this.#offsets.set(words.subarray(endsAt / 4, endsAt / 4 + count), this.#rows + 1);
    this.#rows += count;
    this.#pieces.take(packed, this.length - before);
  }

  /** `arrived`: names at the top of documents in order of arrival, as the walk numbers them. */
  finish(arrived: readonly string[]): StoredBodies | null {
    if (this.#isGivenUp || arrived.length > NAMES_MAX) return null;
    const numbers = renumbering(arrived, packedNames(arrived));
    if (numbers !== null) this.#renumber(numbers);
    return { chunks: this.#pieces.chunks, offsets: this.#offsets, isPacked: true };
  }

  #renumber(numbers: Uint8Array): void {
    const { kernels } = this.#shop;
    const numbersAt = kernels.allocate(NAMES_MAX);
    this.#shop.bytes.set(numbers, numbersAt);
    this.#pieces.change((at, length) => kernels.renumberNames(at, at + length, numbersAt));
  }
}
