/** Reads field word counts (layout in `format.ts`). */

import { ByteBuffer } from "flatbuffers";
import { firstAtLeast } from "../../../base/sorted/binary-search.ts";
import { FieldLengthsPart } from "../generated/field-lengths-part.ts";
import { ALL_EQUAL, EVERY_ROW, FIELD_LENGTHS_WORDS } from "./format.ts";

export class FieldLengthsReader {
  readonly #rowCount: number;
  readonly fields: Uint32Array;
  readonly rows: Uint32Array;
  readonly counts: Uint8Array;

  constructor(part: Uint8Array, rowCount: number) {
    const table = FieldLengthsPart.getRootAsFieldLengthsPart(new ByteBuffer(part));
    this.#rowCount = rowCount;
    this.fields = table.fieldsArray() ?? new Uint32Array(0);
    this.rows = table.rowsArray() ?? new Uint32Array(0);
    this.counts = table.countsArray() ?? new Uint8Array(0);
  }

  /** Indexed words of a row in a local field; 0 when there are none or more than thirty. */
  wordCount(row: number, field: number): number {
    const at = field * FIELD_LENGTHS_WORDS;
    const encoding = this.fields[at];
    const count = this.fields[at + 1]!;
    const countsAt = this.fields[at + 3]!;
    if (encoding === ALL_EQUAL) return count;
    if (encoding === EVERY_ROW) return this.counts[countsAt + row]!;
    const rowsAt = this.fields[at + 2]!;
    const place = firstAtLeast(this.rows, row, rowsAt, rowsAt + count);
    const isThere = place < rowsAt + count && this.rows[place] === row;
    return isThere ? this.counts[countsAt + place - rowsAt]! : 0;
  }

  /** Calls `visit` for every row of a local field whose count is known, rows ascending. */
  forEach(field: number, visit: (row: number, wordCount: number) => void): void {
    const at = field * FIELD_LENGTHS_WORDS;
    const encoding = this.fields[at];
    const count = this.fields[at + 1]!;
    const countsAt = this.fields[at + 3]!;
    if (encoding === ALL_EQUAL) {
      if (count > 0) for (let row = 0; row < this.#rowCount; row++) visit(row, count);
    } else if (encoding === EVERY_ROW) {
      for (let row = 0; row < this.#rowCount; row++) {
        const known = this.counts[countsAt + row]!;
        if (known > 0) visit(row, known);
      }
    } else {
      const rowsAt = this.fields[at + 2]!;
      for (let i = 0; i < count; i++) visit(this.rows[rowsAt + i]!, this.counts[countsAt + i]!);
    }
  }
}
