/**
 * Packs the occurrences of one term after the other, plainly: the compiled builder and merger must give the same bytes.
 */

import { bytesVector, flatPart } from "../../../../src/storage/segment/flat-table.ts";
import { PositionsPart } from "../../../../src/storage/segment/generated/positions-part.ts";
import { PostingsPart } from "../../../../src/storage/segment/generated/postings-part.ts";
import type { Part } from "../../../../src/storage/segment/parts.ts";
import { PART } from "../../../../src/storage/segment/parts.ts";
import {
  codeBits,
  HEAD_ONE_FORM_ONE_BLOCK,
  POSTINGS_TAIL_BYTES,
  ROWS_PER_BLOCK,
} from "../../../../src/storage/segment/postings/format.ts";
import { NumberLog } from "./number-log.ts";
import type { FieldSets } from "./numbered-sets.ts";

/** Terms in every nth row, for n up to this, are bitmaps. */
const DENSE_ROWS = 16;
/** Bytes that one position takes at most. */
const POSITION_MASK = 0xffff;
const POSITION_BYTES_MAX = 3;

export class PostingsWriter {
  readonly #rows: number;
  readonly #sets: FieldSets;
  readonly postings = new NumberLog();
  readonly positions = new NumberLog();
  /** Per row of the term being written; `termCodes` holds forms first, their codes later. */
  #termRows = new Uint32Array(1024);
  #termCodes = new Uint32Array(1024);
  /** For every block of rows: offset of its positions, bits of its gaps. */
  #blockPositions = new Uint32Array(16);
  #blockWidths = new Uint8Array(16);
  /** Forms of the term in order of first use; `formCode[form]` is its place there while the term is written. */
  #forms = new Uint32Array(64);
  #formCount = 0;
  #formCode = new Int32Array(64).fill(-1);

  constructor(rows: number, sets: FieldSets) {
    this.#rows = rows;
    this.#sets = sets;
  }

  /**
   * Writes the occurrences `from..to-1`, ordered by row, field, position: occurrence i is the pair `pairs[2i]` = row,
   * `pairs[2i + 1]` = field and position. Appends the term's entry (see the terms part) to `entries`.
   */
  term(entries: NumberLog, pairs: Uint32Array, from: number, to: number): void {
    if (pairs[2 * from] === pairs[2 * to - 2]) {
      entries.varint(1);
      entries.varint(pairs[2 * from]!);
      const form = this.#formOf(pairs, from, to);
      entries.varint(form);
      entries.room((to - from) * POSITION_BYTES_MAX);
      entries.at = writePositions(entries.bytes, entries.at, pairs, from, to, (form & 1) === 1);
      return;
    }
    if (to - from > this.#termRows.length) this.#growScratch(to - from);
    const { positions } = this;
    const positionsStart = positions.length;
    const count = this.#writeOccurrences(pairs, from, to);
    const postingsStart = this.postings.length;
    this.#writeRows(count);
    entries.varint(count);
    entries.varint(this.postings.length - postingsStart);
    entries.varint(positions.length - positionsStart);
  }

  #growScratch(count: number): void {
    const capacity = Math.max(count, this.#termRows.length * 2);
    this.#termRows = new Uint32Array(capacity);
    this.#termCodes = new Uint32Array(capacity);
    this.#blockPositions = new Uint32Array(capacity / ROWS_PER_BLOCK + 1);
    this.#blockWidths = new Uint8Array(capacity / ROWS_PER_BLOCK + 1);
  }

  /** Writes all positions and notes rows and forms; returns the number of rows. */
  #writeOccurrences(pairs: Uint32Array, from: number, to: number): number {
    const { positions } = this;
    const blockPositions = this.#blockPositions;
    const sets = this.#sets;
    const termCodes = this.#termCodes;
    const termRows = this.#termRows;
    positions.room((to - from) * POSITION_BYTES_MAX);
    const { bytes } = positions;
    const begin = positions.at;
    let at = begin;
    let count = 0;
    for (let start = from; start < to; ) {
      const row = pairs[2 * start]!;
      let end = start + 1;
      while (end < to && pairs[2 * end] === row) end++;
      if ((count & (ROWS_PER_BLOCK - 1)) === 0) blockPositions[count / ROWS_PER_BLOCK] = at - begin;
      termRows[count] = row;
      const place = pairs[2 * start + 1]!;
      if (end === start + 1) {
        termCodes[count++] = sets.setOf(place >>> 16) << 1;
        let position = place & POSITION_MASK;
        while (position >= 0x80) {
          bytes[at++] = position | 0x80;
          position >>>= 7;
        }
        bytes[at++] = position;
      } else {
        const form = this.#formOf(pairs, start, end);
        termCodes[count++] = form;
        at = writePositions(bytes, at, pairs, start, end, (form & 1) === 1);
      }
      start = end;
    }
    positions.at = at;
    return count;
  }

  /** The form of one row. */
  #formOf(pairs: Uint32Array, from: number, to: number): number {
    let field = pairs[2 * from + 1]! >>> 16;
    let prefix = field;
    let repeated = 0;
    for (let i = from + 1; i < to; i++) {
      const next = pairs[2 * i + 1]! >>> 16;
      if (next === field) {
        repeated = 1;
      } else {
        field = next;
        prefix = this.#sets.longer(prefix, field);
      }
    }
    return (this.#sets.setOf(prefix) << 1) | repeated;
  }

  #writeRows(count: number): void {
    const { postings } = this;
    this.#numberForms(count);
    const formCount = this.#formCount;
    const forms = this.#forms;
    const dense = count * DENSE_ROWS >= this.#rows;
    if (!dense) this.#measureGaps(count);
    const oneBlock = !dense && formCount === 1 && count <= ROWS_PER_BLOCK;
    if (oneBlock) postings.varint((this.#blockWidths[0]! << 2) | HEAD_ONE_FORM_ONE_BLOCK);
    else postings.varint((formCount << 2) | (dense ? 1 : 0));
    for (let i = 0; i < formCount; i++) postings.varint(forms[i]!);
    this.#writeSkips(count, dense);
    this.#writeCodes(count);
    if (dense) this.#writeBitmap(count);
    else this.#writeGaps(count, oneBlock);
    for (let i = 0; i < formCount; i++) this.#formCode[forms[i]!] = -1;
  }

  /** Replaces the forms of the term's rows by their numbers in `forms`. */
  #numberForms(count: number): void {
    if (this.#formCode.length < this.#sets.count * 2) {
      this.#formCode = new Int32Array(this.#sets.count * 4).fill(-1);
      this.#forms = new Uint32Array(this.#sets.count * 4);
    }
    const formCode = this.#formCode;
    const forms = this.#forms;
    const termCodes = this.#termCodes;
    let formCount = 0;
    for (let i = 0; i < count; i++) {
      const form = termCodes[i]!;
      let code = formCode[form]!;
      if (code < 0) {
        code = formCount++;
        formCode[form] = code;
        forms[code] = form;
      }
      termCodes[i] = code;
    }
    this.#formCount = formCount;
  }

  #measureGaps(count: number): void {
    const blockWidths = this.#blockWidths;
    const termRows = this.#termRows;
    let previous = -1;
    for (let block = 0; block * ROWS_PER_BLOCK < count; block++) {
      const end = Math.min(count, (block + 1) * ROWS_PER_BLOCK);
      let bits = 0;
      for (let i = block * ROWS_PER_BLOCK; i < end; i++) {
        const row = termRows[i]!;
        bits |= row - previous - 1;
        previous = row;
      }
      blockWidths[block] = 32 - Math.clz32(bits);
    }
  }

  #writeSkips(count: number, dense: boolean): void {
    const { postings } = this;
    let offset = 0;
    for (let block = 1; block * ROWS_PER_BLOCK < count; block++) {
      postings.u32(this.#termRows[block * ROWS_PER_BLOCK - 1]!);
      postings.u32(this.#blockPositions[block]!);
      if (dense) continue;
      offset += 1 + (this.#blockWidths[block - 1]! * ROWS_PER_BLOCK) / 8;
      postings.u32(offset);
    }
  }

  #writeCodes(count: number): void {
    const bits = codeBits(this.#formCount);
    if (bits === 0) return;
    const { postings } = this;
    const termCodes = this.#termCodes;
    postings.room((count * bits + 7) >>> 3);
    const { bytes } = postings;
    let { at } = postings;
    let held = 0;
    let heldBits = 0;
    for (let i = 0; i < count; i++) {
      held |= termCodes[i]! << heldBits;
      heldBits += bits;
      while (heldBits >= 8) {
        bytes[at++] = held;
        held >>>= 8;
        heldBits -= 8;
      }
    }
    if (heldBits > 0) bytes[at++] = held;
    postings.at = at;
  }

  #writeBitmap(count: number): void {
    const { postings } = this;
    const termRows = this.#termRows;
    const size = (this.#rows + 7) >>> 3;
    postings.room(size);
    const { bytes, at } = postings;
    bytes.fill(0, at, at + size);
    for (let i = 0; i < count; i++) {
      const row = termRows[i]!;
      bytes[at + (row >>> 3)]! |= 1 << (row & 7);
    }
    postings.at = at + size;
  }

  #writeGaps(count: number, oneBlock: boolean): void {
    const { postings } = this;
    const blockWidths = this.#blockWidths;
    const termRows = this.#termRows;
    let previous = -1;
    for (let block = 0; block * ROWS_PER_BLOCK < count; block++) {
      const width = blockWidths[block]!;
      postings.room(1 + ROWS_PER_BLOCK * 4);
      const { bytes } = postings;
      let { at } = postings;
      if (!oneBlock) bytes[at++] = width;
      const end = Math.min(count, (block + 1) * ROWS_PER_BLOCK);
      let held = 0;
      let heldBits = 0;
      for (let i = block * ROWS_PER_BLOCK; i < end; i++) {
        const row = termRows[i]!;
        let gap = row - previous - 1;
        previous = row;
        let left = width;
        while (left > 0) {
          // At most seven bits are held, so sixteen more always fit.
          const taken = Math.min(left, 16);
          held |= (gap & 0xffff) << heldBits;
          heldBits += taken;
          gap >>>= 16;
          left -= taken;
          while (heldBits >= 8) {
            bytes[at++] = held;
            held >>>= 8;
            heldBits -= 8;
          }
        }
      }
      if (heldBits > 0) bytes[at++] = held;
      postings.at = at;
    }
  }

  parts(): Part[] {
    this.postings.append(new Uint8Array(POSTINGS_TAIL_BYTES), 0, POSTINGS_TAIL_BYTES);
    return [
      flatPart(PART.postings, PostingsPart, { bytes: bytesVector(this.postings.chunks()) }),
      flatPart(PART.positions, PositionsPart, { bytes: bytesVector(this.positions.chunks()) }),
    ];
  }
}

/** One row's record, at `at`; returns the offset behind it. */
function writePositions(
  bytes: Uint8Array,
  at: number,
  pairs: Uint32Array,
  from: number,
  to: number,
  repeated: boolean,
): number {
  let field = -1;
  let previous = 0;
  for (let i = from; i < to; i++) {
    const place = pairs[2 * i + 1]!;
    const position = place & POSITION_MASK;
    let value = place >>> 16 === field ? position - previous : position;
    field = place >>> 16;
    previous = position;
    if (repeated) value = (value << 1) | (i + 1 < to && pairs[2 * i + 3]! >>> 16 === field ? 1 : 0);
    while (value >= 0x80) {
      bytes[at++] = value | 0x80;
      value >>>= 7;
    }
    bytes[at++] = value;
  }
  return at;
}
