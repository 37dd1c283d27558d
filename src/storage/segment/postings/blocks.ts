/**
 * The rows of one term, decoded a block at a time (see `format.ts` for how they are packed). Only decoding is here;
 * `cursor.ts` extends it by moving through the rows.
 */
import type { TermEntry } from "../terms/reader.ts";
import {
  BITMAP_SKIP_BYTES,
  BLOCK_SHIFT,
  bitmapBytes,
  codeBits,
  GAPS_SKIP_BYTES,
  HEAD_ONE_FORM_ONE_BLOCK,
  ROWS_PER_BLOCK,
} from "./format.ts";
import type { PostingsReader } from "./reader.ts";

/** Beyond every row. */
export const NO_ROW = 0x7fffffff;
/** Gaps up to this width fit a 32-bit number together with the rest of a byte. */
const HELD_BITS_MAX = 24;

export class PostingsBlocks {
  docCount = 0;
  /** The last row that was passed; -1 before the first, NO_ROW after the last. */
  row = -1;
  /** Rank of `row` among the rows of the term. */
  index = -1;
  protected readonly postings: PostingsReader;
  protected readonly bytes: Uint8Array;
  protected dense = false;
  protected forms = new Uint32Array(64);
  protected formCount = 0;
  /** Bits of a code. */
  protected bits = 0;
  protected skipsAt = 0;
  protected skipBytes = 0;
  protected blocks = 0;
  protected codesAt = 0;
  protected rowsAt = 0;
  protected rowsEnd = 0;
  /** Width of the gaps when it is in the head, otherwise -1. */
  #headWidth = -1;
  /** Rows of the block that was decoded last, and how many they are. */
  protected readonly blockRows = new Uint32Array(ROWS_PER_BLOCK);
  protected blockCount = 0;
  /** Where the gaps of the block behind it begin. */
  protected nextBlockAt = 0;
  /** Where the records of the term begin, one a row. */
  protected positionsBytes: Uint8Array;
  protected positionsStart = 0;

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
    this.positionsStart = entry.positionsAt;
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
      this.#openPostings(entry);
    }
  }

  #openPostings(entry: TermEntry): void {
    this.#at = entry.postingsAt;
    const head = this.#varint();
    const oneBlock = (head & 3) === HEAD_ONE_FORM_ONE_BLOCK;
    this.dense = (head & 1) === 1;
    this.#headWidth = oneBlock ? head >>> 2 : -1;
    const formCount = oneBlock ? 1 : head >>> 2;
    if (formCount > this.forms.length) this.forms = new Uint32Array(formCount * 2);
    for (let i = 0; i < formCount; i++) this.forms[i] = this.#varint();
    this.formCount = formCount;
    this.bits = codeBits(formCount);
    this.skipsAt = this.#at;
    this.skipBytes = this.dense ? BITMAP_SKIP_BYTES : GAPS_SKIP_BYTES;
    this.blocks = (entry.docCount + ROWS_PER_BLOCK - 1) >>> BLOCK_SHIFT;
    this.codesAt = this.skipsAt + (this.blocks - 1) * this.skipBytes;
    this.rowsAt = this.codesAt + ((entry.docCount * this.bits + 7) >>> 3);
    this.rowsEnd = this.dense ? this.rowsAt + bitmapBytes(this.postings.rows) : 0;
    this.nextBlockAt = this.rowsAt;
  }

  /** Decodes the block behind `row`; false when there is none. */
  protected nextBlock(): boolean {
    if (this.index + 1 >= this.docCount) {
      this.index = this.docCount;
      this.row = NO_ROW;
      return false;
    }
    this.blockCount = Math.min(ROWS_PER_BLOCK, this.docCount - this.index - 1);
    if (this.dense) this.#decodeBits(this.row + 1);
    else this.#decodeGaps(this.row);
    return true;
  }

  /** Goes on behind the block that was decoded last. */
  protected passBlock(): void {
    if (this.blockCount > 0) this.row = this.blockRows[this.blockCount - 1]!;
    this.index += this.blockCount;
  }

  #decodeGaps(previous: number): void {
    const { blockCount, blockRows, bytes } = this;
    let at = this.nextBlockAt;
    const width = this.#headWidth >= 0 ? this.#headWidth : bytes[at++]!;
    this.nextBlockAt = at + ((width * blockCount + 7) >>> 3);
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

  #decodeBits(from: number): void {
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

  protected formAt(index: number): number {
    if (this.bits === 0) return this.forms[0]!;
    const bit = index * this.bits;
    return this.forms[(this.u32(this.codesAt + (bit >>> 3)) >>> (bit & 7)) & ((1 << this.bits) - 1)]!;
  }

  /** Read position of the head. */
  #at = 0;

  #varint(): number {
    const { bytes } = this;
    let byte = bytes[this.#at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }

  protected u32(at: number): number {
    const { bytes } = this;
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }
}
