/** An external id that rows are looked for by: what every segment asks of it is worked out once. */
import { hashBytes, NUMBERS_END } from "./format.ts";

const encoder = new TextEncoder();
const DIGITS_MAX = 10;
const ZERO = 0x30;

export class IdProbe {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  /** The number that it is the canonical decimal text of, if that is below 2^32; otherwise -1. */
  number = -1;
  #hash = -1;

  static of(id: string): IdProbe {
    const bytes = encoder.encode(id);
    return new IdProbe().set(bytes, 0, bytes.length);
  }

  /** From now on it is the id in `bytes[start, end)`. */
  set(bytes: Uint8Array, start: number, end: number): this {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.number = numberIn(bytes, start, end);
    this.#hash = -1;
    return this;
  }

  get hash(): number {
    if (this.#hash < 0) this.#hash = hashBytes(this.bytes, this.start, this.end);
    return this.#hash;
  }
}

/** The number that `bytes[start, end)` is the canonical decimal text of, if it is below 2^32; otherwise -1. */
export function numberIn(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length === 0 || length > DIGITS_MAX || (length > 1 && bytes[start] === ZERO)) return -1;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value < NUMBERS_END ? value : -1;
}
