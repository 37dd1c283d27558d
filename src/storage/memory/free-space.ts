/**
 * Which bytes of an arena are taken: best fit, low addresses first, neighbours joined when freed. Pure bookkeeping
 * over numbers; it never touches the memory itself.
 *
 * Knuth, "The Art of Computer Programming" 1, 2.5.
 */
import { firstAtLeast } from "../../base/sorted/binary-search.ts";
import { BLOCK_ALIGNMENT } from "./control.ts";

export interface Extent {
  offset: number;
  length: number;
}

export function aligned(length: number): number {
  return Math.max(1, Math.ceil(length / BLOCK_ALIGNMENT)) * BLOCK_ALIGNMENT;
}

/**
 * ```
 *  begin                                     end                limit
 *  | taken | hole | taken | taken | hole | taken | untouched ... |
 * ```
 */
export class FreeSpace {
  readonly #limit: number;
  #end: number;
  #taken = 0;
  /** Holes below `end`, ascending, never adjacent. Two columns, so that a search walks over plain numbers. */
  #holeOffsets: number[] = [];
  #holeLengths: number[] = [];

  constructor(begin: number, limit: number) {
    this.#limit = limit;
    this.#end = begin;
  }

  /** The space around blocks that are known to be in use. */
  static around(begin: number, limit: number, live: Iterable<Extent>): FreeSpace {
    const space = new FreeSpace(begin, limit);
    for (const { offset, length } of [...live].sort((a, b) => a.offset - b.offset)) {
      const bytes = aligned(length);
      if (offset < space.#end || offset + bytes > limit) throw new RangeError(`block at ${offset} lies on another`);
      if (offset > space.#end) space.#insert(space.#holeOffsets.length, space.#end, offset - space.#end);
      space.#end = offset + bytes;
      space.#taken += bytes;
    }
    return space;
  }

  /** One past the last taken byte. */
  get end(): number {
    return this.#end;
  }

  get takenBytes(): number {
    return this.#taken;
  }

  /** Offset of `length` free bytes, or -1. The smallest hole that fits wins, and the lowest of equals. */
  allocate(length: number): number {
    const bytes = aligned(length);
    const lengths = this.#holeLengths;
    let best = -1;
    for (let i = 0; i < lengths.length; i++) {
      if (lengths[i]! >= bytes && (best < 0 || lengths[i]! < lengths[best]!)) best = i;
    }
    let offset: number;
    if (best >= 0) {
      offset = this.#holeOffsets[best]!;
      if (lengths[best] === bytes) this.#remove(best);
      else {
        this.#holeOffsets[best] = offset + bytes;
        lengths[best]! -= bytes;
      }
    } else {
      if (this.#end + bytes > this.#limit) return -1;
      offset = this.#end;
      this.#end += bytes;
    }
    this.#taken += bytes;
    return offset;
  }

  free(offset: number, length: number): void {
    const bytes = aligned(length);
    this.#taken -= bytes;
    let at = this.#firstHoleAfter(offset);
    let start = offset;
    let stop = offset + bytes;
    if (at > 0 && this.#holeOffsets[at - 1]! + this.#holeLengths[at - 1]! === start) {
      at--;
      start = this.#holeOffsets[at]!;
      this.#remove(at);
    }
    if (at < this.#holeOffsets.length && this.#holeOffsets[at] === stop) {
      stop += this.#holeLengths[at]!;
      this.#remove(at);
    }
    if (stop === this.#end) this.#end = start;
    else this.#insert(at, start, stop - start);
  }

  #firstHoleAfter(offset: number): number {
    return firstAtLeast(this.#holeOffsets, offset);
  }

  #insert(at: number, offset: number, length: number): void {
    this.#holeOffsets.splice(at, 0, offset);
    this.#holeLengths.splice(at, 0, length);
  }

  #remove(at: number): void {
    this.#holeOffsets.splice(at, 1);
    this.#holeLengths.splice(at, 1);
  }
}
