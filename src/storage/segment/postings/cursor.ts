/**
 * Moves through the rows of one term in ascending order, decoding a block at a time (`format.ts` has the layout); field sets
 * and positions are read only for the row it stands on, and only when asked. One cursor can be opened on one term after the
 * other.
 */
import { firstWhere } from "../../../base/sorted/binary-search.ts";
import type { TermEntry } from "../terms/reader.ts";
import {
  BITMAP_SKIP_BYTES,
  BLOCK_SHIFT,
  codeBits,
  FIELD_SHIFT,
  GAPS_SKIP_BYTES,
  HEAD_ONE_FORM_ONE_BLOCK,
  ROWS_PER_BLOCK,
} from "./format.ts";
import type { PostingsReader } from "./reader.ts";

/** Beyond every row. */
export const NO_ROW = 0x7fffffff;
/** Gaps up to this width fit a 32-bit number together with the rest of a byte. */
const HELD_BITS_MAX = 24;

export class PostingsCursor {
  docCount = 0;
  /** The last row that was passed; -1 before the first, NO_ROW after the last. */
  row = -1;
  /** Rank of `row` among the rows of the term. */
  index = -1;
  readonly #postings: PostingsReader;
  readonly #bytes: Uint8Array;
  #dense = false;
  #forms = new Uint32Array(64);
  #formCount = 0;
  /** Bits of a code. */
  #bits = 0;
  #skipsAt = 0;
  #skipBytes = 0;
  #blocks = 0;
  #codesAt = 0;
  #rowsAt = 0;
  /** Width of the gaps when it is in the head, otherwise -1. */
  #headWidth = -1;
  /** Rows of the block that was decoded last, and how many they are. */
  readonly #blockRows = new Uint32Array(ROWS_PER_BLOCK);
  #blockCount = 0;
  /** Where the gaps of the block behind it begin. */
  #nextBlockAt = 0;
  /** Where the records of the term begin, one a row. */
  #positionsBytes: Uint8Array;
  #positionsStart = 0;

  /** Which row of the block the cursor stands on. */
  #inBlock = -1;
  /** Number of fields of each form; valid for the term once it was needed. */
  #formFields = new Uint32Array(64);
  #formFieldsKnown = false;
  /** Read position in the positions, at the record of the row of rank `positionsIndex`. */
  #positionsAt = 0;
  #positionsIndex = 0;

  /** Read position of the head. */
  #at = 0;

  constructor(postings: PostingsReader) {
    this.#postings = postings;
    this.#bytes = postings.postings;
    this.#positionsBytes = postings.positions;
  }

  open(entry: TermEntry): void {
    this.docCount = entry.docCount;
    this.row = -1;
    this.index = -1;
    this.#blockCount = 0;
    this.#positionsStart = entry.positionsAt;
    this.#bits = 0;
    this.#inBlock = -1;
    this.#positionsAt = entry.positionsAt;
    this.#positionsIndex = 0;
    this.#formFieldsKnown = false;
    if (entry.docCount === 1) {
      this.#dense = false;
      this.#blocks = 1;
      this.#positionsBytes = this.#postings.terms.entries;
      this.#forms[0] = entry.form;
      this.#formCount = 1;
      this.#blockCount = 1;
      this.#blockRows[0] = entry.row;
    } else {
      this.#positionsBytes = this.#postings.positions;
      this.#openPostings(entry);
    }
  }

  #openPostings(entry: TermEntry): void {
    this.#at = entry.postingsAt;
    const head = this.#varint();
    const oneBlock = (head & 3) === HEAD_ONE_FORM_ONE_BLOCK;
    this.#dense = (head & 1) === 1;
    this.#headWidth = oneBlock ? head >>> 2 : -1;
    const formCount = oneBlock ? 1 : head >>> 2;
    if (formCount > this.#forms.length) this.#forms = new Uint32Array(formCount * 2);
    for (let i = 0; i < formCount; i++) this.#forms[i] = this.#varint();
    this.#formCount = formCount;
    this.#bits = codeBits(formCount);
    this.#skipsAt = this.#at;
    this.#skipBytes = this.#dense ? BITMAP_SKIP_BYTES : GAPS_SKIP_BYTES;
    this.#blocks = (entry.docCount + ROWS_PER_BLOCK - 1) >>> BLOCK_SHIFT;
    this.#codesAt = this.#skipsAt + (this.#blocks - 1) * this.#skipBytes;
    this.#rowsAt = this.#codesAt + ((entry.docCount * this.#bits + 7) >>> 3);
    this.#nextBlockAt = this.#rowsAt;
  }

  /** To the next row; NO_ROW at the end. */
  next(): number {
    if (++this.#inBlock >= this.#blockCount) {
      if (!this.#nextBlock()) return NO_ROW;
      this.#inBlock = 0;
    }
    this.index++;
    this.row = this.#blockRows[this.#inBlock]!;
    return this.row;
  }

  /** To the first row not below `target`; stays where it is when it already stands there. */
  seek(target: number): number {
    if (this.row >= target) return this.row;
    this.#leap(target);
    if (this.#inBlock + 1 >= this.#blockCount && this.next() >= target) return this.row;
    const blockRows = this.#blockRows;
    let low = this.#inBlock + 1;
    let high = this.#blockCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (blockRows[middle]! < target) low = middle + 1;
      else high = middle;
    }
    // On the last row that is too low, then one further, which may be in the next block.
    this.index += low - 1 - this.#inBlock;
    this.#inBlock = low - 1;
    this.row = blockRows[low - 1]!;
    return this.next();
  }

  /** Moves to the end of the block before the one that may hold `target`, if that is ahead. */
  #leap(target: number): void {
    const here = this.index < 0 ? 0 : this.index >>> BLOCK_SHIFT;
    if (here + 1 >= this.#blocks || this.#skipRow(here + 1) >= target) return;
    let low = here + 1;
    let high = this.#blocks - 1;
    let stride = 1;
    while (low + stride < high && this.#skipRow(low + stride) < target) {
      low += stride;
      stride *= 2;
    }
    high = Math.min(high, low + stride);
    low = firstWhere(low + 1, high + 1, (block) => this.#skipRow(block) >= target) - 1;
    this.row = this.#skipRow(low);
    this.index = (low << BLOCK_SHIFT) - 1;
    this.#blockCount = 0;
    this.#inBlock = -1;
    if (!this.#dense) this.#nextBlockAt = this.#rowsAt + this.#u32(this.#skipsAt + (low - 1) * GAPS_SKIP_BYTES + 8);
  }

  /** The row before a block; blocks count from 1 here. */
  #skipRow(block: number): number {
    return this.#u32(this.#skipsAt + (block - 1) * this.#skipBytes);
  }

  /** The field set of the row the cursor stands on. */
  fieldSet(): number {
    return this.#formAt(this.index) >>> 1;
  }

  /** The sets of all rows of the term. */
  setList(): number[] {
    return [...new Set(this.#forms.subarray(0, this.#formCount).map((form) => form >>> 1))];
  }

  /**
   * Writes the occurrences in the row the cursor stands on to `into` as (field << 16 | position), ascending, and
   * returns their number. When that exceeds its length, grow `into` and call again.
   */
  places(into: Uint32Array): number {
    this.#findRecord();
    const { setFields, setOffsets } = this.#postings.fields;
    const bytes = this.#positionsBytes;
    const form = this.#formAt(this.index);
    const repeated = form & 1;
    let at = this.#positionsAt;
    let count = 0;
    const end = setOffsets[(form >>> 1) + 1]!;
    for (let i = setOffsets[form >>> 1]!; i < end; i++) {
      let place = (setFields[i]! << FIELD_SHIFT) >>> 0;
      let more = 1;
      while (more === 1) {
        let byte = bytes[at++]!;
        more = byte & repeated;
        let value = byte & 0x7f;
        for (let shift = 7; byte >= 0x80; shift += 7) {
          byte = bytes[at++]!;
          value |= (byte & 0x7f) << shift;
        }
        place += value >>> repeated;
        if (count < into.length) into[count] = place;
        count++;
      }
    }
    if (count <= into.length) {
      this.#positionsAt = at;
      this.#positionsIndex = this.index + 1;
    }
    return count;
  }

  /** Moves the read position of the positions to the record of the current row. */
  #findRecord(): void {
    const { index } = this;
    const block = index >>> BLOCK_SHIFT;
    if (this.#positionsIndex > index || this.#positionsIndex < block << BLOCK_SHIFT) {
      this.#positionsIndex = block << BLOCK_SHIFT;
      const skip = block === 0 ? 0 : this.#u32(this.#skipsAt + (block - 1) * this.#skipBytes + 4);
      this.#positionsAt = this.#positionsStart + skip;
    }
    if (this.#positionsIndex < index) this.#skipRecords(index);
  }

  /** Passes the records of the rows before the one of rank `index`. */
  #skipRecords(index: number): void {
    const bits = this.#bits;
    const bytes = this.#bytes;
    const codesAt = this.#codesAt;
    const forms = this.#forms;
    const formFields = this.#fieldsOfForms();
    const positions = this.#positionsBytes;
    const mask = (1 << bits) - 1;
    let at = this.#positionsAt;
    let bit = this.#positionsIndex * bits;
    for (let i = this.#positionsIndex; i < index; i++, bit += bits) {
      let code = 0;
      if (bits > 0) {
        const from = codesAt + (bit >>> 3);
        code = bytes[from]! | (bytes[from + 1]! << 8);
        if (bits > 9) code |= (bytes[from + 2]! << 16) | (bytes[from + 3]! << 24);
        code = (code >>> (bit & 7)) & mask;
      }
      const repeated = forms[code]! & 1;
      let left = formFields[code]!;
      while (left > 0) {
        let byte = positions[at++]!;
        left -= 1 - (byte & repeated);
        while (byte >= 0x80) byte = positions[at++]!;
      }
    }
    this.#positionsAt = at;
    this.#positionsIndex = index;
  }

  #fieldsOfForms(): Uint32Array {
    if (this.#formFieldsKnown) return this.#formFields;
    const formCount = this.#formCount;
    const forms = this.#forms;
    const postings = this.#postings;
    if (formCount > this.#formFields.length) this.#formFields = new Uint32Array(forms.length);
    for (let i = 0; i < formCount; i++) this.#formFields[i] = postings.fields.setSize(forms[i]! >>> 1);
    this.#formFieldsKnown = true;
    return this.#formFields;
  }

  /** Decodes the block behind `row`; false when there is none. */
  #nextBlock(): boolean {
    if (this.index + 1 >= this.docCount) {
      this.index = this.docCount;
      this.row = NO_ROW;
      return false;
    }
    this.#blockCount = Math.min(ROWS_PER_BLOCK, this.docCount - this.index - 1);
    if (this.#dense) this.#decodeBits(this.row + 1);
    else this.#decodeGaps(this.row);
    return true;
  }

  #decodeGaps(previous: number): void {
    const blockCount = this.#blockCount;
    const blockRows = this.#blockRows;
    const bytes = this.#bytes;
    let at = this.#nextBlockAt;
    const width = this.#headWidth >= 0 ? this.#headWidth : bytes[at++]!;
    this.#nextBlockAt = at + ((width * blockCount + 7) >>> 3);
    if (width > HELD_BITS_MAX) {
      this.#decodeWideGaps(previous, at, width);
      return;
    }
    const mask = (1 << width) - 1;
    let row = previous;
    let held = 0;
    let heldBits = 0;
    for (let i = 0; i < blockCount; i++) {
      while (heldBits < width) {
        held |= bytes[at++]! << heldBits;
        heldBits += 8;
      }
      row += (held & mask) + 1;
      blockRows[i] = row;
      held >>>= width;
      heldBits -= width;
    }
  }

  #decodeWideGaps(previous: number, at: number, width: number): void {
    const blockCount = this.#blockCount;
    const blockRows = this.#blockRows;
    const bytes = this.#bytes;
    const mask = (1 << width) - 1;
    let row = previous;
    for (let i = 0, bit = 0; i < blockCount; i++, bit += width) {
      const from = at + (bit >>> 3);
      const shift = bit & 7;
      let gap = this.#u32(from) >>> shift;
      if (shift > 0) gap |= bytes[from + 4]! << (32 - shift);
      row += (gap & mask) + 1;
      blockRows[i] = row;
    }
  }

  #decodeBits(from: number): void {
    const blockCount = this.#blockCount;
    const blockRows = this.#blockRows;
    const bytes = this.#bytes;
    const rowsAt = this.#rowsAt;
    let at = rowsAt + (from >>> 3);
    let byte = bytes[at]! & (0xff << (from & 7));
    for (let i = 0; i < blockCount; ) {
      const base = (at - rowsAt) << 3;
      while (byte !== 0 && i < blockCount) {
        blockRows[i++] = base + 31 - Math.clz32(byte & -byte);
        byte &= byte - 1;
      }
      byte = bytes[++at]!;
    }
  }

  #formAt(index: number): number {
    if (this.#bits === 0) return this.#forms[0]!;
    const bit = index * this.#bits;
    return this.#forms[(this.#u32(this.#codesAt + (bit >>> 3)) >>> (bit & 7)) & ((1 << this.#bits) - 1)]!;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }

  #u32(at: number): number {
    const bytes = this.#bytes;
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }
}
