/** A growing list of 32-bit numbers in pieces that are never moved. */
import { allocate } from "./region";

const FIRST_PIECE_BYTES: usize = 64;
const PIECE_BYTES_MAX: usize = 1 << 16;
/** A piece begins with the address of the next one and its own size, in bytes of numbers. */
const HEAD_BYTES: usize = 8;

@unmanaged
export class Log {
  first: usize;
  /** Of the last piece: its address, and where the next number goes and may not go. */
  piece: usize;
  next: usize;
  end: usize;
  /** Numbers in all. */
  length: u32;
  /** The number pushed last. */
  last: u32;

  @inline
  push(value: u32): void {
    if (this.next === this.end) this.extend();
    store<u32>(this.next, value);
    this.next += 4;
    this.length++;
    this.last = value;
  }

  /** Two numbers that stay side by side: all of the log must be pushed in this way. */
  @inline
  pushPair(first: u32, second: u32): void {
    if (this.next === this.end) this.extend();
    store<u32>(this.next, first);
    store<u32>(this.next, second, 4);
    this.next += 8;
    this.length += 2;
  }

  extend(): void {
    const bytes = this.piece === 0 ? FIRST_PIECE_BYTES : min(PIECE_BYTES_MAX, 2 * load<u32>(this.piece, 4));
    const piece = allocate(HEAD_BYTES + bytes);
    store<u32>(piece, 0);
    store<u32>(piece, <u32>bytes, 4);
    if (this.piece === 0) this.first = piece;
    else store<u32>(this.piece, <u32>piece);
    this.piece = piece;
    this.next = piece + HEAD_BYTES;
    this.end = this.next + bytes;
  }

  /** Where the numbers of a piece end. */
  endOf(piece: usize): usize {
    return piece === this.piece ? this.next : piece + HEAD_BYTES + load<u32>(piece, 4);
  }

  /** All numbers, side by side. */
  copyTo(out: usize): void {
    let to = out;
    for (let piece = this.first; piece !== 0; piece = nextPiece(piece)) {
      const bytes = this.endOf(piece) - numbersOf(piece);
      memory.copy(to, numbersOf(piece), bytes);
      to += bytes;
    }
  }
}

export function nextPiece(piece: usize): usize {
  return load<u32>(piece);
}

export function numbersOf(piece: usize): usize {
  return piece + HEAD_BYTES;
}
