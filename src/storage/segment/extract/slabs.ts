/**
 * Puts documents before the compiled walk, a slab at a time: those that are laid side by side, or those that came with a
 * payload, which are brought into their stored form on the way.
 */
import { closeSync, openSync } from "node:fs";
import { storeDocument } from "../../../base/document/order.ts";
import { readFully } from "../../../base/files/read-fully.ts";
import { ByteSink } from "../../../base/json/bytes.ts";
import { BEHIND_BYTES } from "../../../base/kernels/extract/kernels.ts";
import { MIB } from "../../../base/limits.ts";
import { firstWhere } from "../../../base/sorted/binary-search.ts";
import type { PackedBodies } from "./packed-bodies.ts";
import type { Workshop } from "./workshop.ts";

/** Documents that are walked in one call, at most, unless one alone is larger. */
const SLAB_BYTES = MIB;
const SLAB_ROWS = 16_384;

/** Documents of one payload in their order: start and end of each in a file, or in bytes that came along. */
export interface PlainRun {
  source: { path: string } | { bytes: Uint8Array };
  ranges: Uint32Array;
}

export class Slabs {
  readonly #shop: Workshop;
  readonly #bodies: PackedBodies;
  readonly #root: number;
  /** Addresses of where documents begin and end, and of where they end packed. */
  readonly #places: number;
  readonly #ends: number;
  /** Addresses of the slab, of room for one document of it, and of what is packed of it. */
  #slab = 0;
  #room = 0;
  #packed = 0;
  #slabBytes = 0;
  #row = 0;

  /** `root`: the node that documents begin at. */
  constructor(shop: Workshop, bodies: PackedBodies, root: number) {
    this.#shop = shop;
    this.#bodies = bodies;
    this.#root = root;
    this.#places = shop.kernels.allocate(8 * SLAB_ROWS);
    this.#ends = shop.kernels.allocate(4 * SLAB_ROWS);
  }

  /** All rows: row i is `documents[offsets[i], offsets[i + 1])`. */
  walk(documents: Uint8Array, offsets: Float64Array | Uint32Array): void {
    const rows = offsets.length - 1;
    while (this.#row < rows) {
      const begin = offsets[this.#row]!;
      const most = Math.min(rows, this.#row + SLAB_ROWS);
      const end = firstWhere(this.#row + 2, most + 1, (row) => offsets[row]! - begin > SLAB_BYTES) - 1;
      this.#makeRoom(offsets[end]! - begin, offsets[rows]! - begin);
      this.#shop.bytes.set(documents.subarray(begin, offsets[end]!), this.#slab);
      this.#walkSlab(offsets.subarray(this.#row, end + 1));
    }
  }

  /** The next rows, as they came; false, and of no more use, when they cannot be packed. `order`: ranks of their names. */
  take(run: PlainRun, order: ReadonlyMap<string, number>): boolean {
    const { source, ranges } = run;
    const fd = "path" in source ? openSync(source.path, "r") : null;
    try {
      const count = ranges.length / 2;
      for (let first = 0; first < count; ) {
        const begin = ranges[2 * first]!;
        const most = Math.min(count, first + SLAB_ROWS);
        const end = firstWhere(first + 2, most + 1, (place) => ranges[2 * place - 1]! - begin > SLAB_BYTES) - 1;
        const bytes = ranges[2 * end - 1]! - begin;
        this.#makeRoom(bytes, ranges.at(-1)! - begin);
        if (fd !== null) readFully(fd, this.#shop.bytes.subarray(this.#slab, this.#slab + bytes), begin);
        else if ("bytes" in source) this.#shop.bytes.set(source.bytes.subarray(begin, begin + bytes), this.#slab);
        if (!this.#takeSlab(ranges.subarray(2 * first, 2 * end), order)) return false;
        first = end;
      }
      return true;
    } finally {
      if (fd !== null) closeSync(fd);
    }
  }

  /** Documents on the slab by their ranges, of which the first begins there. */
  #takeSlab(ranges: Uint32Array, order: ReadonlyMap<string, number>): boolean {
    const bodies = this.#bodies;
    const shop = this.#shop;
    const count = ranges.length / 2;
    const base = this.#slab - ranges[0]!;
    shop.words.set(ranges, this.#places / 4);
    for (let done = 0; done < count; ) {
      const places = this.#places + 8 * done;
      const ends = this.#ends;
      const packed = this.#packed;
      const room = this.#room;
      const root = this.#root;
      const row = this.#row;
      const { kernels } = shop;
      const some = kernels.takeDocuments(root, base, places, count - done, row, room, packed, ends, bodies.length);
      this.#row += some;
      bodies.take(packed, ends, some);
      done += some;
      if (done < count) {
        const at = base + ranges[2 * done]!;
        this.#takeOdd(at, at + ranges[2 * done + 1]! - ranges[2 * done]!, order);
        shop.words.set(ranges, this.#places / 4);
        done++;
      }
      if (bodies.isGivenUp) return false;
    }
    return true;
  }

  /** A document that compiled code does not bring into its stored form. */
  #takeOdd(start: number, end: number, order: ReadonlyMap<string, number>): void {
    const stored = new ByteSink(end - start);
    storeDocument(this.#shop.bytes, start, end, order, stored);
    const document = stored.view();
    const slab = this.#slab;
    this.#slab = this.#shop.kernels.allocate(document.length + BEHIND_BYTES);
    this.#shop.bytes.set(document, this.#slab);
    this.#walkSlab(Uint32Array.of(0, document.length));
    this.#slab = slab;
  }

  /** The next rows, whose documents lie side by side on the slab. */
  #walkSlab(offsets: Float64Array | Uint32Array): void {
    const bodies = this.#bodies;
    const ends = this.#ends;
    const packed = this.#packed;
    const places = this.#places;
    const root = this.#root;
    const row = this.#row;
    const shop = this.#shop;
    const count = offsets.length - 1;
    shop.words.set(offsets, places / 4);
    shop.kernels.walkDocuments(root, this.#slab - offsets[0]!, places, count, row, packed, ends, bodies.length);
    this.#row += count;
    bodies.take(packed, ends, count);
  }

  /** For documents of so many bytes; `left`: what is left of all. */
  #makeRoom(bytes: number, left: number): void {
    if (bytes <= this.#slabBytes) return;
    this.#slabBytes = Math.max(bytes, Math.min(SLAB_BYTES, left));
    const { kernels } = this.#shop;
    this.#slab = kernels.allocate(this.#slabBytes + BEHIND_BYTES);
    this.#room = kernels.allocate(this.#slabBytes + BEHIND_BYTES);
    this.#packed = kernels.allocate(this.#slabBytes + BEHIND_BYTES);
  }
}
