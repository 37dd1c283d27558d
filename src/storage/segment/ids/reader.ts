/** Answers who a row is and which row an external id has (layout in `format.ts`). */

import { ByteBuffer } from "flatbuffers";
import type { GrowingIds } from "../../../base/document/id-list.ts";
import { placeOf } from "../../../base/sorted/binary-search.ts";
import { IdsPart } from "../generated/ids-part.ts";
import { textOf } from "../shared-bytes.ts";
import { bucketOf, spread } from "./format.ts";
import type { IdProbe } from "./probe.ts";

const NO_WORDS = new Uint32Array(0);
const NO_BYTES = new Uint8Array(0);

export class IdsReader {
  /** Internal ids, ascending. */
  readonly docids: Uint32Array;
  /** External ids as numbers; null when they are kept as text. */
  readonly numbers: Uint32Array | null;
  readonly #texts: Uint8Array;
  readonly #textOffsets: Uint32Array;
  readonly #bucketStarts: Uint32Array;
  readonly #bucketRows: Uint16Array | Uint32Array;

  constructor(part: Uint8Array) {
    const table = IdsPart.getRootAsIdsPart(new ByteBuffer(part));
    this.docids = table.docidsArray() ?? NO_WORDS;
    this.#textOffsets = table.textOffsetsArray() ?? NO_WORDS;
    this.numbers = this.#textOffsets.length > 0 ? null : (table.numbersArray() ?? NO_WORDS);
    this.#texts = table.textsArray() ?? NO_BYTES;
    this.#bucketStarts = table.bucketStartsArray() ?? NO_WORDS;
    const rows = table.bucketRowsArray() ?? NO_BYTES;
    this.#bucketRows =
      table.bucketRowBytes() === 2
        ? new Uint16Array(rows.buffer, rows.byteOffset, rows.length / 2)
        : new Uint32Array(rows.buffer, rows.byteOffset, rows.length / 4);
  }

  externalId(row: number): string {
    if (this.numbers !== null) return String(this.numbers[row]);
    return textOf(this.#texts, this.#textOffsets[row]!, this.#textOffsets[row + 1]!);
  }

  /** Adds the external id of a row to a list. */
  push(row: number, list: GrowingIds): void {
    if (this.numbers !== null) list.pushText(String(this.numbers[row]));
    else list.push(this.#texts, this.#textOffsets[row]!, this.#textOffsets[row + 1]!);
  }

  /** The row of an external id, -1 when the segment does not have it. */
  findRow(id: IdProbe): number {
    if (this.numbers !== null) {
      const { number } = id;
      if (number < 0) return -1;
      return this.#bucketStarts.length === 0 ? halve(this.numbers, number) : this.#findNumber(this.numbers, number);
    }
    const bucketRows = this.#bucketRows;
    const bucketStarts = this.#bucketStarts;
    const bucket = bucketOf(id.hash, bucketStarts.length - 1);
    for (let i = bucketStarts[bucket]!; i < bucketStarts[bucket + 1]!; i++) {
      if (this.#isText(bucketRows[i]!, id)) return bucketRows[i]!;
    }
    return -1;
  }

  /** Whether ids are known to be numbers below this one: those that ascend are. */
  areBelow(number: number): boolean {
    if (this.numbers === null || this.#bucketStarts.length > 0) return false;
    return this.numbers.length === 0 || this.numbers[this.numbers.length - 1]! < number;
  }

  /** The row of an internal id, -1 when the segment does not have it. */
  findDocid(docid: number): number {
    return halve(this.docids, docid);
  }

  #findNumber(numbers: Uint32Array, number: number): number {
    const bucketRows = this.#bucketRows;
    const bucketStarts = this.#bucketStarts;
    const bucket = bucketOf(spread(number), bucketStarts.length - 1);
    for (let i = bucketStarts[bucket]!; i < bucketStarts[bucket + 1]!; i++) {
      if (numbers[bucketRows[i]!] === number) return bucketRows[i]!;
    }
    return -1;
  }

  #isText(row: number, { bytes, start, end }: IdProbe): boolean {
    const shift = this.#textOffsets[row]! - start;
    if (this.#textOffsets[row + 1]! - shift !== end) return false;
    for (let i = start; i < end; i++) if (this.#texts[shift + i] !== bytes[i]) return false;
    return true;
  }
}

/** Index of `wanted` in ascending numbers, or -1. */
function halve(numbers: Uint32Array, wanted: number): number {
  // Most segments hold a stretch of all ids.
  if (numbers.length === 0 || wanted < numbers[0]! || wanted > numbers[numbers.length - 1]!) return -1;
  return placeOf(numbers, wanted);
}
