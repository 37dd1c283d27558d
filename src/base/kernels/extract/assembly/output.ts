/** Bytes on their way out: written to a buffer that the host empties between two terms. */
import { allocate } from "../../shared/assembly/region";

@unmanaged
export class Output {
  start: usize;
  /** Where the next byte goes. */
  at: usize;
  end: usize;
  /** Bytes that the host has taken before. */
  taken: u32;

  /** Bytes written in all. */
  get length(): u32 {
    return this.taken + <u32>(this.at - this.start);
  }

  get room(): usize {
    return this.end - this.at;
  }

  @inline
  byte(value: u32): void {
    store<u8>(this.at++, value);
  }

  @inline
  number(value: u32): void {
    this.at = writeNumber(this.at, value);
  }

  @inline
  u32(value: u32): void {
    store<u32>(this.at, value);
    this.at += 4;
  }

  bytes(from: usize, count: u32): void {
    memory.copy(this.at, from, count);
    this.at += count;
  }

  /** What is in the buffer has been taken. */
  empty(): void {
    this.taken += <u32>(this.at - this.start);
    this.at = this.start;
  }
}

export function newOutput(bytes: usize): Output {
  const output = changetype<Output>(allocate(offsetof<Output>()));
  output.start = allocate(bytes);
  output.at = output.start;
  output.end = output.start + bytes;
  output.taken = 0;
  return output;
}

/** Seven bits a byte, the lowest first; returns the address behind. */
export function writeNumber(to: usize, value: u32): usize {
  let at = to;
  let rest = value;
  while (rest >= 0x80) {
    store<u8>(at++, rest | 0x80);
    rest >>= 7;
  }
  store<u8>(at++, rest);
  return at;
}
