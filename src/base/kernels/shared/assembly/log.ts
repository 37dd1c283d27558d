/** A growing list of 32-bit numbers in pieces that are never moved. */
import { allocate } from "./region";

const FIRST_PIECE_BYTES: usize = 64;
const PIECE_BYTES_MAX: usize = 1 << 16;

/** What a piece begins with: the address of the next one, 0 for the last, and its own size, in bytes of numbers. */
@unmanaged
class Piece {
  next: u32;
  bytes: u32;
}

/** Two numbers that were pushed together. */
@unmanaged
export class Pair {
  first: u32;
  second: u32;
}

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
    const pair = changetype<Pair>(this.next);
    pair.first = first;
    pair.second = second;
    this.next += offsetof<Pair>();
    this.length += 2;
  }

  extend(): void {
    const bytes = this.piece === 0 ? FIRST_PIECE_BYTES : min(PIECE_BYTES_MAX, 2 * changetype<Piece>(this.piece).bytes);
    const piece = allocate(offsetof<Piece>() + bytes);
    changetype<Piece>(piece).next = 0;
    changetype<Piece>(piece).bytes = <u32>bytes;
    if (this.piece === 0) this.first = piece;
    else changetype<Piece>(this.piece).next = <u32>piece;
    this.piece = piece;
    this.next = numbersOf(piece);
    this.end = this.next + bytes;
  }

  /** Where the numbers of a piece end. */
  endOf(piece: usize): usize {
    return piece === this.piece ? this.next : numbersOf(piece) + changetype<Piece>(piece).bytes;
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
  return changetype<Piece>(piece).next;
}

export function numbersOf(piece: usize): usize {
  return piece + offsetof<Piece>();
}
