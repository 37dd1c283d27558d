/**
 * Reads columns of whole numbers that were written one after the other: each column is its length in bytes and that many
 * bytes of numbers, seven bits a byte, low bits first, the top bit set where more follow.
 */

export class NumberColumn {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    const byte = this.#bytes[this.#at++]!;
    return byte < 0x80 ? byte : this.#nextLong(byte & 0x7f);
  }

  /** A number that may be negative: 0, -1, 1, -2, … are stored as 0, 1, 2, 3, … */
  nextSigned(): number {
    const stored = this.next();
    return (stored >>> 1) ^ -(stored & 1);
  }

  /** Throws unless all of the column was read. */
  finish(): void {
    if (this.#at < this.#bytes.length) throw new Error("a column has more numbers than it should");
  }

  #nextLong(low: number): number {
    if (this.#at > this.#bytes.length) throw new Error("a column ends too early");
    let value = low;
    for (let shift = 7; ; shift += 7) {
      const byte = this.#bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      if (this.#at > this.#bytes.length) throw new Error("a column ends too early");
    }
  }
}

export class NumberColumns {
  #rest: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#rest = bytes;
  }

  take(): NumberColumn {
    const lengthBytes = this.#rest.findIndex((byte) => byte < 0x80) + 1;
    const bytes = new NumberColumn(this.#rest.subarray(0, lengthBytes)).next();
    const end = lengthBytes + bytes;
    if (lengthBytes === 0 || end > this.#rest.length) throw new Error("a column ends too early");
    const column = new NumberColumn(this.#rest.subarray(lengthBytes, end));
    this.#rest = this.#rest.subarray(end);
    return column;
  }
}
