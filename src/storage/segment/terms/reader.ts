/**
 * Looks up and walks the vocabulary of a segment (layout in `format.ts`). Terms are bytes; a term is known by its
 * ordinal, its rank in byte order. It says where the postings are, it does not read them.
 */

import { ByteBuffer } from "flatbuffers";
import { firstWhere } from "../../../base/sorted/binary-search.ts";
import type { FieldsReader } from "../fields/reader.ts";
import { TermsPart } from "../generated/terms-part.ts";
import { textOf } from "../shared-bytes.ts";
import { BLOCK_WORDS, FILTER_LINE_BYTES, NIBBLE_FULL, TERM_BLOCK_SHIFT, TERMS_PER_BLOCK } from "./format.ts";

/**
 * Where the occurrences of one term are. Reuse one object for many terms: reading ordinals in ascending order then
 * never goes back.
 */
export class TermEntry {
  ordinal = -1;
  docCount = 0;
  /** Only for terms of a single row: the row and its form (see the postings part). */
  row = -1;
  form = -1;
  /** Offset in the postings part; not for terms of a single row. */
  postingsAt = 0;
  /** Offset in the positions part; for terms of a single row in the entries of the terms part. */
  positionsAt = 0;
  /** Offset of the entry behind this one, and where its postings and positions begin. */
  nextAt = 0;
  nextPostingsAt = 0;
  nextPositionsAt = 0;
}

/** What terms begin with, and the letters that follow others there: see `format.ts`. */
interface PrefixFilter {
  bits: Uint32Array;
  lines: number;
  letters: Uint32Array;
  starts: Uint32Array;
  followers: Uint32Array;
}

export class TermsReader {
  readonly count: number;
  readonly entries: Uint8Array;
  readonly text: Uint8Array;
  readonly blocks: Uint32Array;
  /** Null where there are no terms, and in segments that were written before there were filters. */
  readonly prefixes: PrefixFilter | null;
  readonly #fields: FieldsReader;
  readonly #walk: TermWalk;

  constructor(part: Uint8Array, fields: FieldsReader) {
    const table = TermsPart.getRootAsTermsPart(new ByteBuffer(part));
    this.count = table.count();
    this.text = table.textArray() ?? new Uint8Array(0);
    this.entries = table.entriesArray() ?? new Uint8Array(0);
    this.blocks = table.blockOffsetsArray() ?? new Uint32Array(BLOCK_WORDS);
    const bits = table.prefixFilterArray();
    const empty = new Uint32Array(0);
    this.prefixes =
      bits === null
        ? null
        : {
            bits,
            lines: bits.byteLength / FILTER_LINE_BYTES,
            letters: table.lettersArray() ?? empty,
            starts: table.followerStartsArray() ?? empty,
            followers: table.followersArray() ?? empty,
          };
    this.#fields = fields;
    this.#walk = new TermWalk(this);
  }

  /** Ordinal of a term, -1 when no document has it. */
  find(term: Uint8Array): number {
    const walk = this.#walk;
    return walk.seek(term, term.length) && walk.equals(term, term.length) ? walk.ordinal : -1;
  }

  /** First ordinal whose term is not less than `bytes`; `count` when all are less. */
  lowerBound(bytes: Uint8Array): number {
    const walk = this.#walk;
    return walk.seek(bytes, bytes.length) ? walk.ordinal : this.count;
  }

  /** Ordinals `[from, to)` of the terms that begin with `prefix`. */
  prefixRange(prefix: Uint8Array): { from: number; to: number } {
    const from = this.lowerBound(prefix);
    let last = prefix.length;
    while (last > 0 && prefix[last - 1] === 0xff) last--;
    if (last === 0) return { from, to: this.count };
    const after = Uint8Array.from(prefix.subarray(0, last));
    after[last - 1]!++;
    return { from, to: this.lowerBound(after) };
  }

  term(ordinal: number): string {
    this.#walk.moveTo(ordinal);
    return this.#walk.termText();
  }

  /** Fills `into` with the place of a term's occurrences. */
  entry(ordinal: number, into: TermEntry): void {
    const block = ordinal >>> TERM_BLOCK_SHIFT;
    const known = into.ordinal;
    let next = block << TERM_BLOCK_SHIFT;
    if (known >= next && known <= ordinal) {
      if (known === ordinal) return;
      next = known + 1;
    } else {
      const at = block * BLOCK_WORDS;
      into.nextAt = this.blocks[at + 1]!;
      into.nextPostingsAt = this.blocks[at + 2]!;
      into.nextPositionsAt = this.blocks[at + 3]!;
    }
    for (; next <= ordinal; next++) this.#readEntry(into);
    into.ordinal = ordinal;
  }

  #readEntry(into: TermEntry): void {
    this.#at = into.nextAt;
    into.docCount = this.#varint();
    if (into.docCount === 1) {
      into.row = this.#varint();
      into.form = this.#varint();
      into.positionsAt = this.#at;
      this.#skipPositions(this.#fields.setSize(into.form >>> 1), into.form & 1);
    } else {
      into.row = -1;
      into.form = -1;
      into.postingsAt = into.nextPostingsAt;
      into.positionsAt = into.nextPositionsAt;
      into.nextPostingsAt += this.#varint();
      into.nextPositionsAt += this.#varint();
    }
    into.nextAt = this.#at;
  }

  /** Read position in `entries`. */
  #at = 0;

  #varint(): number {
    const bytes = this.entries;
    let byte = bytes[this.#at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let shift = 7;
    do {
      byte = bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    return value >>> 0;
  }

  #skipPositions(fields: number, repeated: number): void {
    const bytes = this.entries;
    let at = this.#at;
    while (fields > 0) {
      let byte = bytes[at++]!;
      fields -= 1 - (byte & repeated);
      while (byte >= 0x80) byte = bytes[at++]!;
    }
    this.#at = at;
  }
}

/**
 * Walks terms in byte order. `shared` tells how many bytes the term has in common with the one before, so that
 * what was made of that need not be made again.
 *
 * ```ts
 * const walk = new TermWalk(terms);
 * for (let more = walk.moveTo(0); more; more = walk.next()) use(walk.bytes, walk.length, walk.shared);
 * ```
 */
export class TermWalk {
  readonly bytes = new Uint8Array(256);
  length = 0;
  /** Common with the term this walk stood on before; 0 after a seek. */
  shared = 0;
  ordinal = -1;
  readonly #terms: TermsReader;
  #at = 0;

  constructor(terms: TermsReader) {
    this.#terms = terms;
  }

  /** Stands on a term; false beyond the last. */
  moveTo(ordinal: number): boolean {
    if (ordinal >= this.#terms.count) return this.#finish();
    this.#openBlock(ordinal >>> TERM_BLOCK_SHIFT);
    while (this.ordinal < ordinal) this.#step();
    this.shared = 0;
    return true;
  }

  next(): boolean {
    if (this.ordinal + 1 >= this.#terms.count) return this.#finish();
    if (((this.ordinal + 1) & (TERMS_PER_BLOCK - 1)) === 0) this.#openBlock((this.ordinal + 1) >>> TERM_BLOCK_SHIFT);
    else this.#step();
    return true;
  }

  /** Stands on the first term not less than `bytes[0, length)`; false when there is none. */
  seek(bytes: Uint8Array, length: number): boolean {
    const terms = this.#terms;
    if (terms.count === 0) return this.#finish();
    const blocks = (terms.count + TERMS_PER_BLOCK - 1) >>> TERM_BLOCK_SHIFT;
    this.#openBlock(firstWhere(1, blocks, (block) => this.#blockFirstExceeds(block, bytes, length)) - 1);
    while (this.compare(bytes, length) < 0) if (!this.next()) return false;
    this.shared = 0;
    return true;
  }

  equals(bytes: Uint8Array, length: number): boolean {
    return this.length === length && this.compare(bytes, length) === 0;
  }

  /** Negative when the term is less than `other[0, length)`. */
  compare(other: Uint8Array, length: number): number {
    const limit = Math.min(length, this.length);
    for (let i = 0; i < limit; i++) {
      const difference = this.bytes[i]! - other[i]!;
      if (difference !== 0) return difference;
    }
    return this.length - length;
  }

  termText(): string {
    return textOf(this.bytes, 0, this.length);
  }

  #finish(): boolean {
    this.ordinal = this.#terms.count;
    this.length = 0;
    this.shared = 0;
    return false;
  }

  /** Stands on the first term of a block. */
  #openBlock(block: number): void {
    this.#at = this.#terms.blocks[block * BLOCK_WORDS]!;
    const length = this.#varint();
    const { bytes } = this;
    const { text } = this.#terms;
    let same = true;
    let shared = 0;
    for (let i = 0; i < length; i++) {
      const byte = text[this.#at++]!;
      if (same && i < this.length && bytes[i] === byte) shared++;
      else same = false;
      bytes[i] = byte;
    }
    this.length = length;
    this.shared = shared;
    this.ordinal = block << TERM_BLOCK_SHIFT;
  }

  /** To the next term of the same block. */
  #step(): void {
    const { bytes } = this;
    const { text } = this.#terms;
    const head = text[this.#at++]!;
    let shared = head >>> 4;
    let suffix = head & 15;
    if (shared === NIBBLE_FULL) shared += this.#varint();
    if (suffix === NIBBLE_FULL) suffix += this.#varint();
    const length = shared + suffix + 1;
    let at = this.#at;
    for (let i = shared; i < length; i++) bytes[i] = text[at++]!;
    this.#at = at;
    this.length = length;
    this.shared = shared;
    this.ordinal++;
  }

  #varint(): number {
    const { text } = this.#terms;
    let byte = text[this.#at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = text[this.#at++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value;
  }

  #blockFirstExceeds(block: number, bytes: Uint8Array, length: number): boolean {
    const { text } = this.#terms;
    this.#at = this.#terms.blocks[block * BLOCK_WORDS]!;
    const firstLength = this.#varint();
    const limit = Math.min(firstLength, length);
    for (let i = 0; i < limit; i++) {
      const difference = text[this.#at + i]! - bytes[i]!;
      if (difference !== 0) return difference > 0;
    }
    return firstLength > length;
  }
}
