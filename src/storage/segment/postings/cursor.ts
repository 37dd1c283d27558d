/**
 * Moves through the rows of one term in ascending order; field sets and positions are read only for the row it stands
 * on, and only when asked. One cursor can be opened on one term after the other.
 */
import type { TermEntry } from "../terms/reader.ts";
import { NO_ROW, PostingsBlocks } from "./blocks.ts";
import { BLOCK_SHIFT, FIELD_SHIFT, GAPS_SKIP_BYTES } from "./format.ts";

export class PostingsCursor extends PostingsBlocks {
  /** Which row of the block the cursor stands on. */
  #inBlock = -1;
  /** Number of fields of each form; valid for the term once it was needed. */
  #formFields = new Uint32Array(64);
  #formFieldsKnown = false;
  /** Read position in the positions, at the record of the row of rank `positionsIndex`. */
  #positionsAt = 0;
  #positionsIndex = 0;

  override open(entry: TermEntry): void {
    super.open(entry);
    this.#inBlock = -1;
    this.#positionsAt = entry.positionsAt;
    this.#positionsIndex = 0;
    this.#formFieldsKnown = false;
  }

  /** To the next row; NO_ROW at the end. */
  next(): number {
    if (++this.#inBlock >= this.blockCount) {
      if (!this.nextBlock()) return NO_ROW;
      this.#inBlock = 0;
    }
    this.index++;
    this.row = this.blockRows[this.#inBlock]!;
    return this.row;
  }

  /** To the first row not below `target`; stays where it is when it already stands there. */
  seek(target: number): number {
    if (this.row >= target) return this.row;
    this.#leap(target);
    if (this.#inBlock + 1 >= this.blockCount && this.next() >= target) return this.row;
    const { blockRows } = this;
    let low = this.#inBlock + 1;
    let high = this.blockCount;
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
    if (here + 1 >= this.blocks || this.#skipRow(here + 1) >= target) return;
    let low = here + 1;
    let high = this.blocks - 1;
    let stride = 1;
    while (low + stride < high && this.#skipRow(low + stride) < target) {
      low += stride;
      stride *= 2;
    }
    high = Math.min(high, low + stride);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#skipRow(middle) < target) low = middle;
      else high = middle - 1;
    }
    this.row = this.#skipRow(low);
    this.index = (low << BLOCK_SHIFT) - 1;
    this.blockCount = 0;
    this.#inBlock = -1;
    if (!this.dense) this.nextBlockAt = this.rowsAt + this.u32(this.skipsAt + (low - 1) * GAPS_SKIP_BYTES + 8);
  }

  /** The row before a block; blocks count from 1 here. */
  #skipRow(block: number): number {
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

  /**
   * Writes the occurrences in the row the cursor stands on to `into` as (field << 16 | position), ascending, and
   * returns their number. When that exceeds its length, grow `into` and call again.
   */
  places(into: Uint32Array): number {
    this.#findRecord();
    const { setFields, setOffsets } = this.postings.fields;
    const bytes = this.positionsBytes;
    const form = this.formAt(this.index);
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
      const skip = block === 0 ? 0 : this.u32(this.skipsAt + (block - 1) * this.skipBytes + 4);
      this.#positionsAt = this.positionsStart + skip;
    }
    if (this.#positionsIndex < index) this.#skipRecords(index);
  }

  /** Passes the records of the rows before the one of rank `index`. */
  #skipRecords(index: number): void {
    const { bits, bytes, codesAt, forms } = this;
    const formFields = this.#fieldsOfForms();
    const positions = this.positionsBytes;
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
    const { formCount, forms, postings } = this;
    if (formCount > this.#formFields.length) this.#formFields = new Uint32Array(forms.length);
    for (let i = 0; i < formCount; i++) this.#formFields[i] = postings.fields.setSize(forms[i]! >>> 1);
    this.#formFieldsKnown = true;
    return this.#formFields;
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
      this.passBlock();
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
}
