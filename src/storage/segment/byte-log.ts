/**
 * Append-only logs for builders: bytes in chunks that are never copied again, and growable typed arrays.
 * Nothing here knows what the bytes mean.
 */

const CHUNK_BYTES_FIRST = 4096;
const CHUNK_BYTES_MAX = 1 << 20;

/**
 * Bytes appended in chunks. `room(n)` gives `n` contiguous bytes in `bytes` at `at`; a caller that writes there itself
 * moves `at`.
 */
export class ByteLog {
  bytes = new Uint8Array(CHUNK_BYTES_FIRST);
  at = 0;
  readonly #full: Uint8Array[] = [];
  #fullBytes = 0;

  /** Bytes written in all. */
  get length(): number {
    return this.#fullBytes + this.at;
  }

  room(count: number): void {
    if (this.at + count > this.bytes.length) this.#grow(count);
  }

  #grow(count: number): void {
    if (this.at > 0) {
      this.#full.push(this.bytes.subarray(0, this.at));
      this.#fullBytes += this.at;
    }
    this.bytes = new Uint8Array(Math.max(count, Math.min(CHUNK_BYTES_MAX, this.bytes.length * 4)));
    this.at = 0;
  }

  byte(value: number): void {
    this.room(1);
    this.bytes[this.at++] = value;
  }

  append(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.room(count);
    if (count < 32) {
      const bytes = this.bytes;
      let at = this.at;
      for (let i = start; i < end; i++) bytes[at++] = source[i]!;
    } else {
      this.bytes.set(source.subarray(start, end), this.at);
    }
    this.at += count;
  }

  /** The pieces written so far, in order. */
  chunks(): Uint8Array[] {
    return this.at > 0 ? [...this.#full, this.bytes.subarray(0, this.at)] : [...this.#full];
  }
}

/** Growable 32-bit words. */
export class WordLog {
  words: Uint32Array;
  length = 0;

  constructor(capacity = 1024) {
    this.words = new Uint32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.words.length) this.reserve(1);
    this.words[this.length++] = value;
  }

  reserve(extra: number): void {
    if (this.length + extra <= this.words.length) return;
    const grown = new Uint32Array(Math.max(this.length + extra, this.words.length * 2));
    grown.set(this.words.subarray(0, this.length));
    this.words = grown;
  }

  view(): Uint32Array {
    return this.words.subarray(0, this.length);
  }
}

/** The bytes of a typed array, without a copy. */
export function bytesOf(array: Float32Array | Uint32Array | Uint16Array | Uint8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
