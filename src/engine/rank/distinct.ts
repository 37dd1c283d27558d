/**
 * One document per value: remembers the values of documents that were shown, over all segments, and tells which other
 * documents share one. Documents without a value never exclude each other.
 */

import { Buffer } from "node:buffer";
import { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Column } from "../../storage/segment/columns/column.ts";
import type { RowSets } from "../query/row-sets.ts";

export type DistinctValue = number | string;

export class Distinct {
  readonly columns: readonly (Column | null)[];
  /** Codes seen, by segment. */
  readonly #seen: (Bitmap | null)[];

  constructor(columns: readonly (Column | null)[]) {
    this.columns = columns;
    this.#seen = columns.map((column) => (column === null ? null : Bitmap.create(column.codesMax + 1)));
  }

  /** Whether a document shown before has one of this one's values. */
  readonly has = (segment: number, row: number): boolean => {
    const column = this.columns[segment]!;
    if (column === null) return false;
    const seen = this.#seen[segment]!;
    const end = column.codeEnd(row);
    for (let i = column.codeStart(row); i < end; i++) if (seen.has(column.codes[i]!)) return true;
    return false;
  };

  /** The document is shown: others with its values are out. */
  add(segment: number, row: number): void {
    const column = this.columns[segment]!;
    if (column === null) return;
    const end = column.codeEnd(row);
    for (let i = column.codeStart(row); i < end; i++) {
      const code = column.codes[i]!;
      // A value is marked in all segments at once.
      if (code === 0 || this.#seen[segment]!.has(code)) continue;
      if (column.isNumberCode(code)) this.#addNumber(column.numberOfCode(code));
      else if (this.columns.length === 1) this.#mark(segment, column.stringOfCode(code));
      else this.#addString(column.stringBytesAt(column.stringOfCode(code)));
    }
  }

  #addNumber(value: number): void {
    this.columns.forEach((column, segment) => {
      const ordinal = column === null ? -1 : column.ordinalOfNumber(value);
      if (ordinal !== -1) this.#seen[segment]!.set(column!.codesOfNumbers({ from: ordinal, to: ordinal + 1 }).from);
    });
  }

  #addString(bytes: Uint8Array): void {
    this.columns.forEach((column, segment) => {
      const ordinal = column === null ? -1 : column.ordinalOfString(bytes);
      if (ordinal !== -1) this.#mark(segment, ordinal);
    });
  }

  /** All spellings of a string. */
  #mark(segment: number, ordinal: number): void {
    const { from, to } = this.columns[segment]!.codesOfStrings({ from: ordinal, to: ordinal + 1 });
    for (let code = from; code < to; code++) this.#seen[segment]!.set(code);
  }

  /** What `addValues` is to be told in another part of the index. */
  valuesOf(segment: number, row: number): DistinctValue[] {
    const column = this.columns[segment]!;
    const values: DistinctValue[] = [];
    if (column === null) return values;
    const end = column.codeEnd(row);
    for (let i = column.codeStart(row); i < end; i++) {
      const code = column.codes[i]!;
      if (code === 0) continue;
      values.push(column.isNumberCode(code) ? column.numberOfCode(code) : column.stringAt(column.stringOfCode(code)));
    }
    return values;
  }

  /** A document with these values is shown elsewhere. */
  addValues(values: readonly DistinctValue[]): void {
    for (const value of values) {
      if (typeof value === "number") this.#addNumber(value);
      else this.#addString(Buffer.from(value));
    }
  }

  /** All rows that have a value seen. */
  rows(like: RowSets): RowSets {
    return like.map(({ rows }, segment) => {
      const seen = this.#seen[segment];
      return seen ? this.columns[segment]!.scan.rowsOfSet(seen) : Bitmap.create(rows);
    });
  }
}
