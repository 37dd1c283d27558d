/**
 * Ids of many documents as bytes side by side, instead of thousands of strings: id i is `bytes[offsets[i], offsets[i + 1])`.
 * Plain data in shared memory, which travels between threads as it is.
 */
import { Buffer } from "node:buffer";

export interface IdList {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

const FIRST_IDS = 16;
const FIRST_BYTES = 256;

export function idCount({ offsets }: IdList): number {
  return offsets.length - 1;
}

export function idAt({ bytes, offsets }: IdList, i: number): string {
  // A copy: text is not read from shared memory.
  return Buffer.from(bytes.subarray(offsets[i], offsets[i + 1])).toString("utf8");
}

export function idsOf(ids: Iterable<string>): IdList {
  const list = new GrowingIds();
  for (const id of ids) list.pushText(id);
  return list.finish();
}

/** Those at the given places, in that order. */
export function pickIds({ bytes, offsets }: IdList, places: Uint32Array): IdList {
  let length = 0;
  for (let i = 0; i < places.length; i++) length += offsets[places[i]! + 1]! - offsets[places[i]!]!;
  const picked = new Uint8Array(new SharedArrayBuffer(length));
  const starts = sharedWords(places.length + 1);
  let to = 0;
  for (let i = 0; i < places.length; i++) {
    const end = offsets[places[i]! + 1]!;
    for (let at = offsets[places[i]!]!; at < end; at++) picked[to++] = bytes[at]!;
    starts[i + 1] = to;
  }
  return { bytes: picked, offsets: starts };
}

/** Those from `first` on, up to `end`. */
export function idsBetween({ bytes, offsets }: IdList, first: number, end: number): IdList {
  const begin = offsets[first]!;
  const some = new Uint8Array(new SharedArrayBuffer(offsets[end]! - begin));
  some.set(bytes.subarray(begin, offsets[end]!));
  const starts = sharedWords(end - first + 1);
  for (let i = 0; i < starts.length; i++) starts[i] = offsets[first + i]! - begin;
  return { bytes: some, offsets: starts };
}

/** A list that ids are added to. */
export class GrowingIds {
  bytes = new Uint8Array(FIRST_BYTES);
  offsets = new Uint32Array(FIRST_IDS + 1);
  /** Ids in the list. */
  count = 0;

  push(bytes: Uint8Array, start: number, end: number): void {
    let to = this.#room(end - start);
    const own = this.bytes;
    for (let at = start; at < end; at++) own[to++] = bytes[at]!;
    this.#end(to);
  }

  pushText(id: string): void {
    const to = this.#room(id.length * 3);
    this.#end(to + Buffer.from(this.bytes.buffer, to).write(id, "utf8"));
  }

  /** Bytes of all ids. */
  get length(): number {
    return this.offsets[this.count]!;
  }

  /** Ids side by side at the beginning of `bytes`, and where each ends, counted on from `length`. */
  append(bytes: Uint8Array, ends: Uint32Array): void {
    if (ends.length === 0) return;
    const before = this.length;
    this.#reserve(ends.length, ends.at(-1)! - before);
    this.bytes.set(bytes.subarray(0, ends.at(-1)! - before), before);
    this.offsets.set(ends, this.count + 1);
    this.count += ends.length;
  }

  /** All ids of a list. */
  appendAll({ bytes, offsets }: IdList): void {
    const before = this.length;
    const shift = before - offsets[0]!;
    const ends = offsets.subarray(1);
    this.append(bytes.subarray(offsets[0]!), shift === 0 ? ends : ends.map((end) => end + shift));
  }

  /** What it holds, of use until the next id is added. */
  view(): IdList {
    return { bytes: this.bytes, offsets: this.offsets.subarray(0, this.count + 1) };
  }

  /** Forgets all ids. */
  clear(): void {
    this.count = 0;
  }

  /** What it holds, in memory of its own that is no larger than it must be: for this thread. */
  copy(): IdList {
    return { bytes: this.bytes.slice(0, this.length), offsets: this.offsets.slice(0, this.count + 1) };
  }

  /** The same in shared memory. */
  finish(): IdList {
    const length = this.offsets[this.count]!;
    const bytes = new Uint8Array(new SharedArrayBuffer(length));
    bytes.set(this.bytes.subarray(0, length));
    const offsets = sharedWords(this.count + 1);
    offsets.set(this.offsets.subarray(0, this.count + 1));
    return { bytes, offsets };
  }

  /** Where the next id goes, of which that many bytes are there. */
  #room(length: number): number {
    this.#reserve(1, length);
    return this.length;
  }

  /** Makes room for so many ids more, of so many bytes. */
  #reserve(count: number, length: number): void {
    const ids = this.count + count + 1;
    if (ids > this.offsets.length) {
      const offsets = new Uint32Array(Math.max(ids, 2 * this.offsets.length));
      offsets.set(this.offsets);
      this.offsets = offsets;
    }
    const end = this.length + length;
    if (end > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(end, 2 * this.bytes.length));
      bytes.set(this.bytes);
      this.bytes = bytes;
    }
  }

  #end(at: number): void {
    this.offsets[++this.count] = at;
  }
}

function sharedWords(count: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(4 * count));
}
