/** Writes the field word counts of a segment (see `format.ts`). Fields come in local order, rows ascending in each. */
import { ByteLog, WordLog } from "../byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import { FieldLengthsPart } from "../generated/field-lengths-part.ts";
import type { Part } from "../parts.ts";
import { PART } from "../parts.ts";
import { ALL_EQUAL, EVERY_ROW, SOME_ROWS, SOME_ROWS_BYTES } from "./format.ts";

export class FieldLengthsWriter {
  readonly #rows: number;
  readonly #fields = new WordLog(64);
  readonly #someRows = new WordLog(64);
  readonly #counts = new ByteLog();

  constructor(rows: number) {
    this.#rows = rows;
  }

  /** The next field: each entry is (row << 5 | count), ascending; a segment has less than 2^27 rows. */
  field(entries: Uint32Array, entryCount: number): void {
    if (this.#isAllEqual(entries, entryCount)) {
      this.#describe(ALL_EQUAL, entryCount === 0 ? 0 : entries[0]! & 31, 0, 0);
    } else if (entryCount * SOME_ROWS_BYTES < this.#rows) {
      this.#describe(SOME_ROWS, entryCount, this.#someRows.length, this.#counts.length);
      for (let i = 0; i < entryCount; i++) {
        this.#someRows.push(entries[i]! >>> 5);
        this.#counts.byte(entries[i]! & 31);
      }
    } else {
      this.#describe(EVERY_ROW, 0, 0, this.#counts.length);
      const bytes = new Uint8Array(this.#rows);
      for (let i = 0; i < entryCount; i++) bytes[entries[i]! >>> 5] = entries[i]! & 31;
      this.#counts.append(bytes, 0, bytes.length);
    }
  }

  #isAllEqual(entries: Uint32Array, entryCount: number): boolean {
    if (entryCount === 0) return true;
    if (entryCount !== this.#rows) return false;
    const first = entries[0]! & 31;
    for (let i = 1; i < entryCount; i++) if ((entries[i]! & 31) !== first) return false;
    return true;
  }

  #describe(encoding: number, count: number, rowsAt: number, countsAt: number): void {
    this.#fields.push(encoding);
    this.#fields.push(count);
    this.#fields.push(rowsAt);
    this.#fields.push(countsAt);
  }

  part(): Part {
    return flatPart(PART.fieldLengths, FieldLengthsPart, {
      fields: wordsVector(this.#fields.view()),
      rows: wordsVector(this.#someRows.view()),
      counts: bytesVector(this.#counts.chunks()),
    });
  }
}
