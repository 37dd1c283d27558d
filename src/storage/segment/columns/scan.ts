/**
 * One column read in bulk by kernels, in the memory that holds its segment: rows of codes, counts of codes, rows in the
 * order of their values. Whatever it returns is the caller's own; the workspace is left as it was found.
 */
import type { ByteSink } from "../../../base/json/bytes.ts";
import { CodeRange, Texts } from "../../../base/kernels/columns/generated/layout.ts";
import { BUCKETS, type ColumnsKernels, columnsKernels, WITHOUT } from "../../../base/kernels/columns/kernels.ts";
import type { Workspace } from "../../memory/workspace.ts";
import { Bitmap, wordsFor } from "../bitmap.ts";
import type { SegmentHome } from "../reader.ts";
import type { Column, OrdinalRange } from "./column.ts";
import type { CodeArray } from "./format.ts";
import type { PlacedRows } from "./placed-rows.ts";

/** The segment of a column, for kernels; `SegmentReader` is one. */
export interface ColumnHome {
  readonly home: SegmentHome;
  /** Whether the segment lies where kernels reach it, so that asking for its home copies nothing. */
  readonly isInPlace: boolean;
  addressOf(view: CodeArray): number;
}

/** Codes that some rows have, ascending, none twice. */
export interface CodeCounts {
  codes: Uint32Array;
  counts: Uint32Array;
  /** The lowest of the rows that have the code. */
  firstRows: Uint32Array;
}

/** The same in the workspace: addresses, and how many there are. */
interface PlacedCounts {
  length: number;
  codes: number;
  counts: number;
  firstRows: number;
}

/** Positions in a list by ascending key, and by position where keys are equal. */
interface SortedPositions {
  positions: Uint32Array;
  keys: Uint32Array;
  /** All keys below this are there. */
  end: number;
}

/** Ranges up to this many are looked for side by side; of more, a set is made. */
export const RANGES_MAX = 8;
/** Below this share of a dictionary it is cheaper to sort the values met than to keep a count for every value. */
const FEW_ROWS_SHARE = 1 / 8;

/** Of the texts of a facet with their counts; more are written by the caller. */
const TEXTS_BYTES_MAX = 64 * 1024;

/** Room for this many times the positions wanted; where more share one key, they are picked again. */
const PICK_FACTOR = 16;

export class ColumnScan {
  readonly #column: Column;
  readonly #workspace: Workspace;
  readonly #kernels: ColumnsKernels;
  readonly #codes: number;
  readonly #width: number;
  readonly #starts: number;
  readonly #list: number;
  readonly #slots: number;
  readonly #spellingStarts: number;
  readonly #home: ColumnHome;

  constructor(column: Column, home: ColumnHome) {
    this.#column = column;
    this.#home = home;
    this.#workspace = home.home.workspace;
    this.#kernels = columnsKernels(this.#workspace.memory);
    this.#codes = home.addressOf(column.codes);
    this.#width = column.codes.BYTES_PER_ELEMENT;
    this.#starts = column.codeStarts === null ? 0 : home.addressOf(column.codeStarts);
    this.#list = column.rowList === null ? 0 : home.addressOf(column.rowList);
    this.#slots = column.rowList === null ? column.rows : column.rowList.length;
    this.#spellingStarts = column.spellingStarts === null ? 0 : home.addressOf(column.spellingStarts);
  }

  /** Rows that have a code in one of the ranges, none of which is empty. */
  rowsIn(ranges: readonly OrdinalRange[]): Bitmap {
    const column = this.#column;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    if (ranges.length > RANGES_MAX) return this.rowsOfSet(codeSet(column.codesMax, ranges));
    const { mark } = workspace;
    const at = this.#placeRanges(ranges);
    const codeBits = this.#bitsFor(column.codes.length);
    kernels.select(this.#codes, this.#width, column.codes.length, at, ranges.length, codeBits);
    return this.#rowsOf(codeBits, mark);
  }

  /** Those of `rows` that have a code in one of up to RANGES_MAX ranges; of a column with one code for each row. */
  rowsAmong(ranges: readonly OrdinalRange[], rows: Bitmap): Bitmap {
    const { words } = rows;
    const workspace = this.#workspace;
    const { mark, u32 } = workspace;
    const filled = ranges.filter(({ from, to }) => from < to);
    const at = this.#placeRanges(filled);
    const bits = this.#bitsFor(rows.rows);
    u32.set(words, bits >>> 2);
    u32[(bits >>> 2) + words.length] = 0;
    this.#kernels.selectAmong(this.#codes, this.#width, rows.rows, at, filled.length, bits);
    return this.#takeRows(bits, mark);
  }

  #placeRanges(ranges: readonly OrdinalRange[]): number {
    const workspace = this.#workspace;
    const { u32 } = workspace;
    const at = workspace.allocate(RANGES_MAX * CodeRange.WORDS * 4);
    for (let i = 0; i < ranges.length; i++) {
      const range = (at >>> 2) + i * CodeRange.WORDS;
      u32[range + CodeRange.first] = ranges[i]!.from;
      u32[range + CodeRange.reach] = ranges[i]!.to - ranges[i]!.from - 1;
    }
    return at;
  }

  /** Rows that have a code of the set (a bitmap of `codesMax + 1` bits; bit 0 must be clear). */
  rowsOfSet(set: Bitmap): Bitmap {
    const column = this.#column;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    const { mark } = workspace;
    const at = workspace.allocate(set.words.length * 4);
    workspace.u32.set(set.words, at >>> 2);
    const codeBits = this.#bitsFor(column.codes.length);
    kernels.selectMembers(this.#codes, this.#width, column.codes.length, at, codeBits);
    return this.#rowsOf(codeBits, mark);
  }

  #rowsOf(codeBits: number, mark: number): Bitmap {
    const column = this.#column;
    const kernels = this.#kernels;
    const slots = this.#slots;
    let bits = codeBits;
    if (this.#starts !== 0) {
      bits = this.#bitsFor(slots);
      kernels.slotsOfCodes(codeBits, column.codes.length, this.#starts, slots, bits);
    }
    if (this.#list !== 0) {
      const slotBits = bits;
      bits = this.#bitsFor(column.rows);
      kernels.rowsOfSlots(slotBits, slots, this.#list, column.rows, bits);
    }
    return this.#takeRows(bits, mark);
  }

  #takeRows(bits: number, mark: number): Bitmap {
    const workspace = this.#workspace;
    const rows = Bitmap.create(this.#column.rows);
    rows.words.set(workspace.u32.subarray(bits >>> 2, (bits >>> 2) + rows.words.length));
    workspace.release(mark);
    return rows;
  }

  /** Codes of the rows of a set. */
  countCodes(rows: PlacedRows): CodeCounts {
    const column = this.#column;
    const workspace = this.#workspace;
    if (rows.count === 0 || column.codes.length === 0) return NO_COUNTS;
    const { mark } = workspace;
    const counts = this.#copyOf(this.#placedCounts(rows));
    workspace.release(mark);
    return counts;
  }

  /**
   * Appends the first `limit` texts of the rows of a set, by their bytes, and how many rows have each, as members of a JSON
   * object. False, and nothing is appended, when compiled code does not do it: for numbers, and texts that need escapes.
   */
  writeTexts(rows: PlacedRows, limit: number, out: ByteSink): boolean {
    const column = this.#column;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    if (column.numberCount > 0) return false;
    if (rows.count === 0 || column.codes.length === 0) return true;
    const { mark } = workspace;
    const { codes, counts, firstRows, length } = this.#placedCounts(rows);
    const texts = this.#placeTexts();
    const at = workspace.allocate(TEXTS_BYTES_MAX);
    const bytes = kernels.writeTexts(texts, codes, counts, firstRows, length, limit, at, TEXTS_BYTES_MAX);
    if (bytes > 0) out.bytes(workspace.u8, at, at + bytes);
    workspace.release(mark);
    return bytes >= 0;
  }

  #placeTexts(): number {
    const column = this.#column;
    const home = this.#home;
    const workspace = this.#workspace;
    const { spellingOffsets, stringBytes, spellingBytes } = column;
    const at = workspace.allocate(Texts.WORDS * 4);
    const struct = at >>> 2;
    const { u32 } = workspace;
    u32[struct + Texts.numberCount] = column.numberCount;
    u32[struct + Texts.stringCount] = column.stringCount;
    u32[struct + Texts.stringOffsets] = home.addressOf(column.stringOffsets);
    u32[struct + Texts.stringBytes] = home.addressOf(stringBytes);
    u32[struct + Texts.spellingStarts] = this.#spellingStarts;
    u32[struct + Texts.spellingOffsets] = spellingOffsets === null ? 0 : home.addressOf(spellingOffsets);
    u32[struct + Texts.spellingBytes] = spellingOffsets === null ? 0 : home.addressOf(spellingBytes);
    return at;
  }

  /** To be released by the caller. */
  #placedCounts({ at, count }: PlacedRows): PlacedCounts {
    const { codesMax } = this.#column;
    return count < codesMax * FEW_ROWS_SHARE ? this.#countFew(at, count) : this.#countEach(at, codesMax);
  }

  #countEach(bits: number, codesMax: number): PlacedCounts {
    const column = this.#column;
    const kernels = this.#kernels;
    const starts = this.#starts;
    const list = this.#list;
    const slots = this.#slots;
    const workspace = this.#workspace;
    const bytes = (codesMax + 1) * 4;
    const counts = workspace.allocate(bytes);
    const firstRows = workspace.allocate(bytes);
    const met = workspace.allocate(bytes);
    kernels.countCodes(this.#codes, this.#width, column.rows, starts, list, slots, bits, codesMax, counts, firstRows);
    return { length: kernels.metCodes(codesMax, counts, firstRows, met), codes: met, counts, firstRows };
  }

  #countFew(bits: number, count: number): PlacedCounts {
    const column = this.#column;
    const kernels = this.#kernels;
    const starts = this.#starts;
    const list = this.#list;
    const slots = this.#slots;
    const width = this.#width;
    const workspace = this.#workspace;
    let room = count;
    if (starts !== 0) room = list === 0 ? kernels.countValues(column.rows, starts, bits) : column.codes.length;
    const pairs = workspace.allocate(room * 8);
    const scratch = workspace.allocate(room * 8);
    const offsets = workspace.allocate(BUCKETS * 4);
    const length = kernels.collectPairs(this.#codes, width, column.rows, starts, list, slots, bits, pairs);
    const sorted = kernels.sortPairs(pairs, length, column.codesMax, scratch, offsets) >>> 0;
    const codes = workspace.allocate(length * 4);
    const counts = workspace.allocate(length * 4);
    const firstRows = workspace.allocate(length * 4);
    return { length: kernels.pairRuns(sorted, length, codes, counts, firstRows), codes, counts, firstRows };
  }

  /** Of a list of ascending rows those with the smallest keys from `low` on: `wanted` of them and some more. */
  smallest(rows: Uint32Array, descending: boolean, low: number, wanted: number): SortedPositions {
    const column = this.#column;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    const { mark } = workspace;
    const keys = this.#sortKeys(rows, descending);
    const valuesEnd = column.numberCount + column.stringCount;
    const scratch = workspace.allocate(BUCKETS * 4);
    const isLast = low >= valuesEnd;
    const end = isLast ? WITHOUT : kernels.keyBound(keys, rows.length, low, valuesEnd, wanted, scratch) >>> 0;
    const from = isLast ? WITHOUT : low;
    const to = isLast ? WITHOUT + 1 : end;
    let room = Math.min(rows.length, wanted * PICK_FACTOR);
    let pairs = workspace.allocate(room * 8);
    const length = kernels.pickKeys(keys, rows.length, from, to, pairs, room);
    if (length > room) {
      room = length;
      pairs = workspace.allocate(room * 8);
      kernels.pickKeys(keys, rows.length, from, to, pairs, room);
    }
    const other = workspace.allocate(length * 8);
    const sorted = isLast ? pairs : kernels.sortPairs(pairs, length, valuesEnd, other, scratch) >>> 0;
    const found = { positions: new Uint32Array(length), keys: new Uint32Array(length), end };
    const { u32 } = workspace;
    for (let i = 0; i < length; i++) {
      found.positions[i] = u32[(sorted >>> 2) + i * 2]!;
      found.keys[i] = u32[(sorted >>> 2) + i * 2 + 1]!;
    }
    workspace.release(mark);
    return found;
  }

  /** Positions in a list of ascending rows whose key is at least `low`, ascending. */
  positionsFrom(rows: Uint32Array, descending: boolean, low: number): Uint32Array {
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    const { mark } = workspace;
    const keys = this.#sortKeys(rows, descending);
    const pairs = workspace.allocate(rows.length * 8);
    const length = kernels.pickKeys(keys, rows.length, low, 0, pairs, rows.length);
    const found = new Uint32Array(length);
    for (let i = 0; i < length; i++) found[i] = workspace.u32[(pairs >>> 2) + i * 2]!;
    workspace.release(mark);
    return found;
  }

  #sortKeys(rows: Uint32Array, descending: boolean): number {
    const column = this.#column;
    const kernels = this.#kernels;
    const starts = this.#starts;
    const list = this.#list;
    const slots = this.#slots;
    const spellingStarts = this.#spellingStarts;
    const workspace = this.#workspace;
    const keys = workspace.allocate(rows.length * 4);
    let at = rows.byteOffset;
    if (rows.buffer !== workspace.u32.buffer) {
      at = workspace.allocate(rows.length * 4);
      workspace.u32.set(rows, at >>> 2);
    }
    kernels.sortKeys(
      this.#codes,
      this.#width,
      starts,
      list,
      slots,
      column.numberCount,
      column.stringCount,
      spellingStarts,
      descending ? 1 : 0,
      at,
      rows.length,
      keys,
    );
    return keys;
  }

  #bitsFor(count: number): number {
    return this.#workspace.allocate(wordsFor(count) * 4 + 16);
  }

  #copyOf({ length, codes, counts, firstRows }: PlacedCounts): CodeCounts {
    const { u32 } = this.#workspace;
    const copy = (at: number): Uint32Array => new Uint32Array(u32.subarray(at >>> 2, (at >>> 2) + length));
    return { codes: copy(codes), counts: copy(counts), firstRows: copy(firstRows) };
  }
}

const NO_COUNTS: CodeCounts = {
  codes: new Uint32Array(0),
  counts: new Uint32Array(0),
  firstRows: new Uint32Array(0),
};

/** Ranges of codes as a set. */
export function codeSet(codesMax: number, ranges: readonly OrdinalRange[]): Bitmap {
  const set = Bitmap.create(codesMax + 1);
  for (const { from, to } of ranges) set.setRange(from, to);
  return set;
}
