/**
 * One field of a columns part, read in place: typed arrays over the part's own bytes (shared or not). Finds ordinals of
 * values, values of rows and rows of values; the layout is told in `format.ts`. It never changes a byte.
 */

import { Buffer } from "node:buffer";
import { firstWhere, placeOf } from "../../../base/sorted/binary-search.ts";
import { Bitmap } from "../bitmap.ts";
import type { ColumnTable } from "../generated/column-table.ts";
import type { RowSetTable } from "../generated/row-set-table.ts";
import { type CodeArray, ROWS_LISTED, ROWS_WORDS } from "./format.ts";
import { RowSet } from "./row-set.ts";
import type { RowSetCache } from "./row-set-cache.ts";
import { type ColumnHome, ColumnScan, codeSet, RANGES_MAX } from "./scan.ts";

/** Conditions on more values than this hardly come back. */
const RANGES_KEPT_MAX = 32;

/** Half-open: `from <= ordinal < to`. Empty when `from >= to`. */
export interface OrdinalRange {
  from: number;
  to: number;
}

/** One field of one segment. Numbers and strings have ordinals of their own; codes (see `format.ts`) unite them. */
export class Column {
  readonly name: string;
  readonly rows: number;
  readonly numbers: Float64Array;
  readonly stringCount: number;
  readonly spellingCount: number;
  /** Codes run from 1 to this; 0 is "no value". */
  readonly codesMax: number;
  readonly exists: RowSet;
  readonly nullRows: RowSet;
  readonly emptyRows: RowSet;
  /** Rows with at least one value. */
  readonly filledRows: number;
  /** Forward codes, for loops that cannot afford a call a row; `codeStart`/`codeEnd` tell the layouts apart. */
  readonly codes: CodeArray;
  readonly rowList: Uint32Array | null;
  readonly codeStarts: Uint32Array | null;

  readonly stringOffsets: Uint32Array;
  readonly stringBytes: Buffer;
  readonly spellingStarts: Uint32Array | null;
  readonly spellingOffsets: Uint32Array | null;
  readonly spellingBytes: Buffer;

  readonly #home: ColumnHome | null;
  readonly #kept: RowSetCache | null;
  #openScan: ColumnScan | null = null;

  /**
   * `home`: the segment it belongs to; null for a part on its own, which is only looked at row by row. `kept`: where sets of
   * rows are kept.
   */
  constructor(
    table: ColumnTable,
    rows: number,
    data: Uint8Array,
    home: ColumnHome | null = null,
    kept: RowSetCache | null = null,
  ) {
    this.#home = home;
    this.#kept = kept;
    const { buffer } = data;
    const base = data.byteOffset;
    const u32 = (at: number, length: number): Uint32Array => new Uint32Array(buffer, base + at, length);
    const rowSet = (set: RowSetTable | null): RowSet => {
      const form = set!.form();
      const length = form === ROWS_LISTED ? set!.count() : form === ROWS_WORDS ? Math.ceil(rows / 32) : 0;
      return new RowSet(form, rows, set!.count(), u32(set!.at(), length));
    };
    this.name = table.name()!;
    this.rows = rows;
    this.numbers = new Float64Array(buffer, base + table.numbersAt(), table.numberCount());
    this.stringCount = table.stringCount();
    this.spellingCount = table.spellingCount();
    this.codesMax = this.numbers.length + this.spellingCount;
    this.stringOffsets = u32(table.stringOffsetsAt(), this.stringCount + 1);
    this.stringBytes = Buffer.from(buffer, base + table.stringBytesAt(), this.stringOffsets[this.stringCount]!);
    this.spellingStarts =
      this.spellingCount > this.stringCount ? u32(table.spellingStartsAt(), this.stringCount + 1) : null;
    this.spellingOffsets = table.spelled() ? u32(table.spellingOffsetsAt(), this.spellingCount + 1) : null;
    const spellingBytes = this.spellingOffsets === null ? 0 : this.spellingOffsets[this.spellingCount]!;
    this.spellingBytes = Buffer.from(buffer, base + table.spellingBytesAt(), spellingBytes);
    this.filledRows = table.filledRows();
    this.rowList = table.sparse() ? u32(table.rowListAt(), this.filledRows) : null;
    this.codeStarts = table.multiple()
      ? u32(table.codeStartsAt(), (this.rowList === null ? rows : this.filledRows) + 1)
      : null;
    const width = table.codeBytes();
    const codesAt = base + table.codesAt();
    if (width === 1) this.codes = new Uint8Array(buffer, codesAt, table.codeCount());
    else if (width === 2) this.codes = new Uint16Array(buffer, codesAt, table.codeCount());
    else this.codes = new Uint32Array(buffer, codesAt, table.codeCount());
    this.exists = rowSet(table.exists());
    this.nullRows = rowSet(table.nullRows());
    this.emptyRows = rowSet(table.emptyRows());
  }

  get numberCount(): number {
    return this.numbers.length;
  }

  // --- from values to ordinals --------------------------------------------------------------------------------------

  ordinalOfNumber(value: number): number {
    const at = this.#lowerNumber(value, true);
    return this.numbers[at] === value ? at : -1;
  }

  /** Ordinals of the numbers between the two bounds; infinities leave a side open. */
  rangeOfNumbers(low: number, lowIncluded: boolean, high: number, highIncluded: boolean): OrdinalRange {
    return { from: this.#lowerNumber(low, lowIncluded), to: this.#lowerNumber(high, !highIncluded) };
  }

  /** First ordinal whose number is `>= value` (`included`) or `> value`. */
  #lowerNumber(value: number, included: boolean): number {
    const { numbers } = this;
    return firstWhere(0, numbers.length, (at) => !(numbers[at]! < value || (!included && numbers[at] === value)));
  }

  /** `normalized` as UTF-8. */
  ordinalOfString(normalized: Uint8Array): number {
    const at = this.#lowerString(normalized, true);
    return at < this.stringCount && this.#compareString(at, normalized) === 0 ? at : -1;
  }

  /** Ordinals of the strings between two bounds in byte order; null leaves a side open. */
  rangeOfStrings(
    low: Uint8Array | null,
    lowIncluded: boolean,
    high: Uint8Array | null,
    highIncluded: boolean,
  ): OrdinalRange {
    return {
      from: low === null ? 0 : this.#lowerString(low, lowIncluded),
      to: high === null ? this.stringCount : this.#lowerString(high, !highIncluded),
    };
  }

  /** Ordinals of the strings that begin with these bytes. */
  rangeOfPrefix(prefix: Uint8Array): OrdinalRange {
    const from = this.#lowerString(prefix, true);
    return { from, to: firstWhere(from, this.stringCount, (at) => !this.#startsWith(at, prefix)) };
  }

  #lowerString(bytes: Uint8Array, included: boolean): number {
    const least = included ? 0 : 1;
    return firstWhere(0, this.stringCount, (at) => this.#compareString(at, bytes) >= least);
  }

  #compareString(ordinal: number, bytes: Uint8Array): number {
    const { stringBytes, stringOffsets } = this;
    const start = stringOffsets[ordinal]!;
    const length = stringOffsets[ordinal + 1]! - start;
    const common = Math.min(length, bytes.length);
    for (let i = 0; i < common; i++) {
      const difference = stringBytes[start + i]! - bytes[i]!;
      if (difference !== 0) return difference;
    }
    return length - bytes.length;
  }

  #startsWith(ordinal: number, prefix: Uint8Array): boolean {
    const start = this.stringOffsets[ordinal]!;
    if (this.stringOffsets[ordinal + 1]! - start < prefix.length) return false;
    for (let i = 0; i < prefix.length; i++) if (this.stringBytes[start + i] !== prefix[i]) return false;
    return true;
  }

  // --- from ordinals and codes to values ----------------------------------------------------------------------------

  /** Normalized text. */
  stringAt(ordinal: number): string {
    return this.stringBytes.toString("utf8", this.stringOffsets[ordinal], this.stringOffsets[ordinal + 1]);
  }

  /** Normalized bytes, a view: not to be kept beyond the pin of the segment. */
  stringBytesAt(ordinal: number): Uint8Array {
    return this.stringBytes.subarray(this.stringOffsets[ordinal], this.stringOffsets[ordinal + 1]);
  }

  isNumberCode(code: number): boolean {
    return code <= this.numbers.length;
  }

  numberOfCode(code: number): number {
    return this.numbers[code - 1]!;
  }

  /** String ordinal of a code above the numbers. */
  stringOfCode(code: number): number {
    const spelling = code - this.numbers.length - 1;
    const starts = this.spellingStarts;
    if (starts === null) return spelling;
    return firstWhere(1, this.stringCount, (string) => starts[string]! > spelling) - 1;
  }

  /** The text as the document has it. */
  spellingOfCode(code: number): string {
    const spelling = code - this.numbers.length - 1;
    const offsets = this.spellingOffsets;
    if (offsets !== null && offsets[spelling + 1]! > offsets[spelling]!) {
      return this.spellingBytes.toString("utf8", offsets[spelling], offsets[spelling + 1]);
    }
    return this.stringAt(this.stringOfCode(code));
  }

  /** Codes of these numbers; every number has one. */
  codesOfNumbers(range: OrdinalRange): OrdinalRange {
    return { from: range.from + 1, to: range.to + 1 };
  }

  /** Codes of all spellings of these strings. */
  codesOfStrings(range: OrdinalRange): OrdinalRange {
    const first = this.numbers.length + 1;
    const starts = this.spellingStarts;
    if (starts === null || range.from >= range.to) return { from: first + range.from, to: first + range.to };
    return { from: first + starts[range.from]!, to: first + starts[range.to]! };
  }

  // --- rows ---------------------------------------------------------------------------------------------------------

  /** The row's codes are `codes[codeStart(row) .. codeEnd(row)]`, ascending. */
  codeStart(row: number): number {
    const slot = this.#slotOf(row);
    if (slot === -1) return 0;
    return this.codeStarts === null ? slot : this.codeStarts[slot]!;
  }

  codeEnd(row: number): number {
    const slot = this.#slotOf(row);
    if (slot === -1) return 0;
    if (this.codeStarts !== null) return this.codeStarts[slot + 1]!;
    return this.codes[slot] === 0 ? slot : slot + 1;
  }

  #slotOf(row: number): number {
    return this.rowList === null ? row : placeOf(this.rowList, row);
  }

  numbersOf(row: number): number[] {
    const found: number[] = [];
    const end = this.codeEnd(row);
    for (let i = this.codeStart(row); i < end; i++) {
      const code = this.codes[i]!;
      if (code <= this.numbers.length) found.push(this.numbers[code - 1]!);
    }
    return found;
  }

  stringsOf(row: number): { normalized: string; original: string }[] {
    const found: { normalized: string; original: string }[] = [];
    const end = this.codeEnd(row);
    for (let i = this.codeStart(row); i < end; i++) {
      const code = this.codes[i]!;
      if (code <= this.numbers.length) continue;
      found.push({ normalized: this.stringAt(this.stringOfCode(code)), original: this.spellingOfCode(code) });
    }
    return found;
  }

  /**
   * The code a row is sorted by: its smallest number, else smallest string (ascending); its largest number, else
   * largest string (descending). 0 without a value.
   */
  sortCode(row: number, descending: boolean): number {
    const start = this.codeStart(row);
    const end = this.codeEnd(row);
    if (start === end) return 0;
    if (!descending) return this.codes[start]!;
    if (this.codes[start]! > this.numbers.length) return this.codes[end - 1]!;
    let last = end - 1;
    while (this.codes[last]! > this.numbers.length) last--;
    return this.codes[last]!;
  }

  /** The value a row is sorted by, strings normalized. */
  sortValue(row: number, descending: boolean): number | string | null {
    const code = this.sortCode(row, descending);
    if (code === 0) return null;
    return this.isNumberCode(code) ? this.numberOfCode(code) : this.stringAt(this.stringOfCode(code));
  }

  /** Reads it in bulk; for threads that search. */
  get scan(): ColumnScan {
    if (this.#openScan === null) {
      if (this.#home === null) throw new Error(`column ${this.name} belongs to no segment`);
      this.#openScan = new ColumnScan(this, this.#home);
    }
    return this.#openScan;
  }

  /** Rows that have a code in one of the ranges. Not to be changed: they may be kept for others. */
  rowsIn(ranges: readonly OrdinalRange[]): Bitmap {
    const filled = ranges.filter(({ from, to }) => from < to);
    if (filled.length === 0) return Bitmap.create(this.rows);
    if (this.#home?.isInPlace) {
      const find = (): Bitmap => this.scan.rowsIn(filled);
      return this.#kept === null || filled.length > RANGES_KEPT_MAX
        ? find()
        : this.#kept.of(this.#nameOf(filled), find);
    }
    const out = Bitmap.create(this.rows);
    this.#addRowsOfSet(codeSet(this.codesMax, filled), out);
    return out;
  }

  /** Those of `rows` that have a code in one of the ranges: looked up for them alone where each row has a place of its own. */
  rowsAmong(ranges: readonly OrdinalRange[], rows: Bitmap): Bitmap {
    const isPlaced = this.codeStarts === null && this.rowList === null && ranges.length <= RANGES_MAX;
    if (isPlaced && this.#home?.isInPlace) return this.scan.rowsAmong(ranges, rows);
    return this.rowsIn(ranges).and(rows);
  }

  #nameOf(ranges: readonly OrdinalRange[]): string {
    let name = this.name;
    for (const { from, to } of ranges) name += `\n${from}-${to}`;
    return name;
  }

  /** Rows that have a code of the set (a bitmap of `codesMax + 1` bits; bit 0 must be clear). */
  rowsOfSet(set: Bitmap): Bitmap {
    if (this.#home?.isInPlace) return this.scan.rowsOfSet(set);
    const out = Bitmap.create(this.rows);
    this.#addRowsOfSet(set, out);
    return out;
  }

  #addRowsOfSet(set: Bitmap, out: Bitmap): void {
    const { codes, codeStarts, rowList } = this;
    const { words } = set;
    for (let at = 0, slot = 0; at < codes.length; at++) {
      const code = codes[at]!;
      if ((words[code >>> 5]! & (1 << (code & 31))) === 0) continue;
      if (codeStarts === null) slot = at;
      else while (codeStarts[slot + 1]! <= at) slot++;
      out.set(rowList === null ? slot : rowList[slot]!);
    }
  }
}
