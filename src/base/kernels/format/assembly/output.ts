/** Bytes of the answer on their way to the host, who takes them over whenever there is no room for more. */
import { allocate } from "../../shared/assembly/region";
import { flush } from "./host";

const OUTPUT_BYTES: usize = 1 << 16;

export let output: usize = 0;
let next: usize = 0;

export function layOutput(): void {
  output = allocate(OUTPUT_BYTES);
  next = output;
}

/** How much was written and not taken over; nothing is, from now on. */
export function takeOutput(): u32 {
  const length = <u32>(next - output);
  next = output;
  return length;
}

export function handOver(): void {
  const length = takeOutput();
  if (length > 0) flush(length);
}

export function putByte(byte: u32): void {
  if (next === output + OUTPUT_BYTES) handOver();
  store<u8>(next++, byte);
}

export function put(start: usize, end: usize): void {
  let from = start;
  while (from < end) {
    if (next === output + OUTPUT_BYTES) handOver();
    const count = min(end - from, output + OUTPUT_BYTES - next);
    memory.copy(next, from, count);
    next += count;
    from += count;
  }
}
