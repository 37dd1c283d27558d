/**
 * A payload that lies in a file, read once from front to back and never as a whole in memory. What is read is of no meaning
 * until `verify` has returned: only then does all of it match its checksum.
 */
import { closeSync, fstatSync, openSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Desk } from "../document/desk.ts";
import { readFully } from "../files/read-fully.ts";
import { KIB } from "../limits.ts";
import { payloadDamage, readTrailer, SUMMED_TRAILER_BYTES, TRAILER_BYTES } from "./prepare.ts";

/** Read at once of what lies between documents. */
const GAP_BYTES = 64 * KIB;

export class PayloadFile {
  /** Start and end of each document, ascending; in shared memory. */
  readonly ranges: Uint32Array;
  readonly #fd: number;
  readonly #summedBytes: number;
  readonly #expected: number;
  readonly #gap = new Uint8Array(GAP_BYTES);
  /** Up to where it was read, and the checksum of that. */
  #position = 0;
  #sum = 0;

  constructor(path: string) {
    this.#fd = openSync(path, "r");
    try {
      const { size } = fstatSync(this.#fd);
      const last = new Uint8Array(Math.min(size, TRAILER_BYTES));
      readFully(this.#fd, last, size - last.length);
      const { length, rangesAt, trailerAt, sum } = readTrailer(last, size);
      const ranges = new Uint8Array(new SharedArrayBuffer(trailerAt - rangesAt));
      readFully(this.#fd, ranges, rangesAt);
      this.ranges = new Uint32Array(ranges.buffer);
      this.#summedBytes = trailerAt + SUMMED_TRAILER_BYTES;
      this.#expected = sum;
      if (!isAscending(this.ranges, length)) throw payloadDamage();
    } catch (problem) {
      this.close();
      throw problem;
    }
  }

  /** The first document; it is read again when its turn comes. */
  first(): Uint8Array {
    const document = new Uint8Array(this.ranges[1]! - this.ranges[0]!);
    readFully(this.#fd, document, this.ranges[0]!);
    return document;
  }

  /** The next documents, which lie at `[begin, end)`. */
  putOn(table: Desk, begin: number, end: number): void {
    this.#readUpTo(begin);
    this.#read(table.slab(end - begin));
  }

  /** Reads what is left. Throws when something is not as it was written. */
  verify(): void {
    this.#readUpTo(this.#summedBytes);
    if (this.#sum !== this.#expected) throw payloadDamage();
  }

  close(): void {
    closeSync(this.#fd);
  }

  #readUpTo(position: number): void {
    while (this.#position < position) this.#read(this.#gap.subarray(0, position - this.#position));
  }

  #read(into: Uint8Array): void {
    readFully(this.#fd, into, this.#position);
    this.#sum = crc32(into, this.#sum);
    this.#position += into.length;
  }
}

function isAscending(ranges: Uint32Array, last: number): boolean {
  let before = 0;
  for (let i = 0; i < ranges.length; i++) {
    if (ranges[i]! < before) return false;
    before = ranges[i]!;
  }
  return before <= last;
}
