/**
 * How documents are packed: compact JSON in which every name at the top, with all that stands around it, is one byte.
 *
 * ```
 *   {"id":7,"title":"Ariel","tags":["a","b"]}   ->   0 7 2 "Ariel" 1 ["a","b"]
 * ```
 * The byte is the number of the name among all that documents of the segment have at their top (see the part of field sets), sorted.
 * JSON without white space has no bytes below NAMES_MAX, so nothing else looks like one. A segment with more names than that,
 * or with a document that would not come back to the byte, is not packed. As each number takes one byte, a body is as long
 * whichever numbers its names have.
 */
import type { FieldSetsReader } from "../field-sets/reader.ts";

export const NAMES_MAX = 32;

const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
const BRACES = 2;

/** The numbers of names by which bodies are packed. */
export function packedNames(names: Iterable<string>): string[] {
  return [...names].sort();
}

/** By number in `from`: the number in `to`, which has all of them; null when they are the same. */
export function renumbering(from: readonly string[], to: readonly string[]): Uint8Array | null {
  const numbers = Uint8Array.from(from, (name) => to.indexOf(name));
  return numbers.every((number, i) => number === i) ? null : numbers;
}

export class Unpacker {
  /** By number of a name: what stands before its value. */
  readonly heads: readonly Uint8Array[];

  constructor(names: readonly string[]) {
    this.heads = names.map((name) => new Uint8Array(Buffer.from(`,${JSON.stringify(name)}:`)));
  }

  /** What a document has more unpacked than packed, by its set. */
  static savings(fieldSets: FieldSetsReader): Uint32Array {
    const byName = new Map(fieldSets.names.map((name) => [name, Buffer.byteLength(JSON.stringify(name)) + 1]));
    return Uint32Array.from({ length: fieldSets.setCount }, (_, set) => {
      const fields = fieldSets.fieldsOf(set);
      return fields.reduce((sum, name) => sum + byName.get(name)!, fields.length === 0 ? BRACES : 1);
    });
  }

  /** How long the document packed in `bytes[from, end)` is. */
  length(bytes: Uint8Array, from: number, end: number): number {
    let length = end - from + (from === end ? BRACES : 1);
    for (let i = from; i < end; i++) if (bytes[i]! < NAMES_MAX) length += this.heads[bytes[i]!]!.length - 1;
    return length;
  }

  /**
   * Writes the document packed in `bytes[from, end)` to `into` at `at`; returns the offset behind it. What is read may lie
   * in the same bytes, as long as there is room before it for what comes of it.
   */
  unpack(bytes: Uint8Array, from: number, end: number, into: Uint8Array, at: number): number {
    const { heads } = this;
    let to = at;
    if (from === end) into[to++] = OBJECT_START;
    for (let i = from; i < end; i++) {
      const byte = bytes[i]!;
      if (byte >= NAMES_MAX) {
        into[to++] = byte;
        continue;
      }
      const head = heads[byte]!;
      for (let k = 0; k < head.length; k++) into[to++] = head[k]!;
    }
    into[at] = OBJECT_START;
    into[to++] = OBJECT_END;
    return to;
  }
}
