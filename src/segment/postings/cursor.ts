/**
 * Moves through the rows of one term in ascending order; field sets and positions are read only for the row it stands
 * on, and only when asked. One cursor can be opened on one term after the other.
 */
import type { TermEntry } from "../terms/reader.ts";
import {
  BITMAP_SKIP_BYTES,
  BLOCK_SHIFT,
  bitmapBytes,
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
  /** Where the cursor stands; -1 before the first row, NO_ROW after the last. */
  row = -1;
  /** Rank of `row` among the rows of the term. */
  index = -1;
  private readonly postings: PostingsReader;
  private readonly bytes: Uint8Array;
  private dense = false;
  private forms = new Uint32Array(64);
  private formCount = 0;
  /** Number of fields of each form; valid for the term once it was needed. */
  private formFields = new Uint32Array(64);
  private formFieldsKnown = false;
  /** Bits of a code. */
  private bits = 0;
  private skipsAt = 0;
  private skipBytes = 0;
  private blocks = 0;
  private codesAt = 0;
  private rowsAt = 0;
  private rowsEnd = 0;
  /** Width of the gaps when it is in the head, otherwise -1. */
  private headWidth = -1;
  /** The block the cursor is in: its rows, how many they are, and which of them the cursor stands on. */
  private readonly blockRows = new Uint32Array(ROWS_PER_BLOCK);
  private blockCount = 0;
  private inBlock = -1;
  /** Where the gaps of the block behind it begin. */
  private nextBlockAt = 0;
  private positionsBytes: Uint8Array;
  private positionsStart = 0;
  /** Read position in the positions, at the record of the row of rank `positionsIndex`. */
  private positionsAt = 0;
  private positionsIndex = 0;

  constructor(postings: PostingsReader) {
    this.postings = postings;
    this.bytes = postings.postings;
    this.positionsBytes = postings.positions;
  }

  open(entry: TermEntry): void {
    this.docCount = entry.docCount;
    this.row = -1;
    this.index = -1;
    this.blockCount = 0;
    this.inBlock = -1;
    this.positionsStart = entry.positionsAt;
    this.positionsAt = entry.positionsAt;
    this.positionsIndex = 0;
    this.formFieldsKnown = false;
    this.bits = 0;
    if (entry.docCount === 1) {
      this.dense = false;
      this.blocks = 1;
      this.positionsBytes = this.postings.terms.entries;
      this.forms[0] = entry.form;
      this.formCount = 1;
      this.blockCount = 1;
      this.blockRows[0] = entry.row;
    } else {
      this.positionsBytes = this.postings.positions;
      this.openPostings(entry);
    }
  }

  private openPostings(entry: TermEntry): void {
    this.at = entry.postingsAt;
    const head = this.varint();
    const oneBlock = (head & 3) === HEAD_ONE_FORM_ONE_BLOCK;
    this.dense = (head & 1) === 1;
    this.headWidth = oneBlock ? head >>> 2 : -1;
    const formCount = oneBlock ? 1 : head >>> 2;
    if (formCount > this.forms.length) {
      this.forms = new Uint32Array(formCount * 2);
      this.formFields = new Uint32Array(formCount * 2);
    }
    for (let i = 0; i < formCount; i++) this.forms[i] = this.varint();
    this.formCount = formCount;
    this.bits = codeBits(formCount);
    this.skipsAt = this.at;
    this.skipBytes = this.dense ? BITMAP_SKIP_BYTES : GAPS_SKIP_BYTES;
    this.blocks = (entry.docCount + ROWS_PER_BLOCK - 1) >>> BLOCK_SHIFT;
    this.codesAt = this.skipsAt + (this.blocks - 1) * this.skipBytes;
    this.rowsAt = this.codesAt + ((entry.docCount * this.bits + 7) >>> 3);
    this.rowsEnd = this.dense ? this.rowsAt + bitmapBytes(this.postings.rows) : 0;
    this.nextBlockAt = this.rowsAt;
  }

  /** To the next row; NO_ROW at the end. */
  next(): number {
    if (++this.inBlock >= this.blockCount && !this.nextBlock()) return NO_ROW;
    this.index++;
    this.row = this.blockRows[this.inBlock]!;
    return this.row;
  }

  /** Decodes the block behind the row the cursor stands on; false when there is none. */
  private nextBlock(): boolean {
    if (this.index + 1 >= this.docCount) {
      this.index = this.docCount;
      this.row = NO_ROW;
      return false;
    }
    this.blockCount = Math.min(ROWS_PER_BLOCK, this.docCount - this.index - 1);
    this.inBlock = 0;
    if (this.dense) this.decodeBits(this.row + 1);
    else this.decodeGaps(this.row);
    return true;
  }

  private decodeGaps(previous: number): void {
    const { blockCount, blockRows, bytes } = this;
    let at = this.nextBlockAt;
    const width = this.headWidth >= 0 ? this.headWidth : bytes[at++]!;
    this.nextBlockAt = at + ((width * blockCount + 7) >>> 3);
    if (width > HELD_BITS_MAX) {
      this.decodeWideGaps(previous, at, width);
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

  private decodeWideGaps(previous: number, at: number, width: number): void {
    const { blockCount, blockRows, bytes } = this;
    const mask = (1 << width) - 1;
    let row = previous;
    for (let i = 0, bit = 0; i < blockCount; i++, bit += width) {
      const from = at + (bit >>> 3);
      const shift = bit & 7;
      let gap = this.u32(from) >>> shift;
      if (shift > 0) gap |= bytes[from + 4]! << (32 - shift);
      row += (gap & mask) + 1;
      blockRows[i] = row;
    }
  }

  private decodeBits(from: number): void {
    const { blockCount, blockRows, bytes, rowsAt } = this;
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

  /** To the first row not below `target`; stays where it is when it already stands there. */
  seek(target: number): number {
    if (this.row >= target) return this.row;
    this.leap(target);
    if (this.inBlock + 1 >= this.blockCount && this.next() >= target) return this.row;
    const { blockRows } = this;
    let low = this.inBlock + 1;
    let high = this.blockCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (blockRows[middle]! < target) low = middle + 1;
      else high = middle;
    }
    // On the last row that is too low, then one further, which may be in the next block.
    this.index += low - 1 - this.inBlock;
    this.inBlock = low - 1;
    this.row = blockRows[low - 1]!;
    return this.next();
  }

  /** Moves to the end of the block before the one that may hold `target`, if that is ahead. */
  private leap(target: number): void {
    const here = this.index < 0 ? 0 : this.index >>> BLOCK_SHIFT;
    if (here + 1 >= this.blocks || this.skipRow(here + 1) >= target) return;
    let low = here + 1;
    let high = this.blocks - 1;
    let stride = 1;
    while (low + stride < high && this.skipRow(low + stride) < target) {
      low += stride;
      stride *= 2;
    }
    high = Math.min(high, low + stride);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.skipRow(middle) < target) low = middle;
      else high = middle - 1;
    }
    this.row = this.skipRow(low);
    this.index = (low << BLOCK_SHIFT) - 1;
    this.blockCount = 0;
    this.inBlock = -1;
    if (!this.dense) this.nextBlockAt = this.rowsAt + this.u32(this.skipsAt + (low - 1) * GAPS_SKIP_BYTES + 8);
  }

  /** The row before a block; blocks count from 1 here. */
  private skipRow(block: number): number {
    return this.u32(this.skipsAt + (block - 1) * this.skipBytes);
  }

  /** The field set of the row the cursor stands on. */
  fieldSet(): number {
    return this.formAt(this.index) >>> 1;
  }

  /** The sets of all rows of the term. */
  setList(): number[] {
    return [...new Set(this.forms.subarray(0, this.formCount).map((form) => form >>> 1))];
  }

  private formAt(index: number): number {
    if (this.bits === 0) return this.forms[0]!;
    const bit = index * this.bits;
    return this.forms[(this.u32(this.codesAt + (bit >>> 3)) >>> (bit & 7)) & ((1 << this.bits) - 1)]!;
  }

  /**
   * Writes the occurrences in the row the cursor stands on to `into` as (field << 16 | position), ascending, and
   * returns their number. When that exceeds its length, grow `into` and call again.
   */
  places(into: Uint32Array): number {
    this.findRecord();
    const { setFields, setOffsets } = this.postings.fields;
    const bytes = this.positionsBytes;
    const form = this.formAt(this.index);
    const repeated = form & 1;
    let at = this.positionsAt;
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
      this.positionsAt = at;
      this.positionsIndex = this.index + 1;
    }
    return count;
  }

  /** Moves the read position of the positions to the record of the current row. */
  private findRecord(): void {
    const { index } = this;
    const block = index >>> BLOCK_SHIFT;
    if (this.positionsIndex > index || this.positionsIndex < block << BLOCK_SHIFT) {
      this.positionsIndex = block << BLOCK_SHIFT;
      const skip = block === 0 ? 0 : this.u32(this.skipsAt + (block - 1) * this.skipBytes + 4);
      this.positionsAt = this.positionsStart + skip;
    }
    if (this.positionsIndex < index) this.skipRecords(index);
  }

  /** Passes the records of the rows before the one of rank `index`. */
  private skipRecords(index: number): void {
    const { bits, bytes, codesAt, formFields, forms } = this;
    const positions = this.positionsBytes;
    if (!this.formFieldsKnown) {
      for (let i = 0; i < this.formCount; i++) formFields[i] = this.postings.fields.setSize(forms[i]! >>> 1);
      this.formFieldsKnown = true;
    }
    const mask = (1 << bits) - 1;
    let at = this.positionsAt;
    let bit = this.positionsIndex * bits;
    for (let i = this.positionsIndex; i < index; i++, bit += bits) {
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
    this.positionsAt = at;
    this.positionsIndex = index;
  }

  /** Sets the bits of all rows of the term, which was just opened. */
  addRows(words: Uint32Array): void {
    if (this.dense) {
      const { bytes, rowsAt } = this;
      const count = this.rowsEnd - rowsAt;
      for (let i = 0; i < count; i++) words[i >>> 2]! |= bytes[rowsAt + i]! << ((i & 3) << 3);
      return;
    }
    const { blockRows } = this;
    do {
      const { blockCount } = this;
      for (let i = 0; i < blockCount; i++) {
        const row = blockRows[i]!;
        words[row >>> 5]! |= 1 << (row & 31);
      }
      if (blockCount > 0) this.row = blockRows[blockCount - 1]!;
      this.index += blockCount;
    } while (this.nextBlock());
  }

  /** Sets the bits of the rows whose field set is marked; the term was just opened. */
  addRowsInSets(marked: Uint8Array, words: Uint32Array): void {
    let wanted = 0;
    for (let i = 0; i < this.formCount; i++) wanted += marked[this.forms[i]! >>> 1]!;
    if (wanted === 0) return;
    if (wanted === this.formCount) {
      this.addRows(words);
      return;
    }
    for (let row = this.next(); row !== NO_ROW; row = this.next()) {
      if (marked[this.fieldSet()] === 1) words[row >>> 5]! |= 1 << (row & 31);
    }
  }

  /** Read position of the head. */
  private at = 0;

  private varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.at++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }

  private u32(at: number): number {
    const { bytes } = this;
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }
}
