/** Takes all occurrences of a term at once, under the rows and fields that they have elsewhere. */
import type { TermEntry } from "../terms/reader.ts";
import { PostingsBlocks } from "./blocks.ts";
import { FIELD_SHIFT } from "./format.ts";

export class OccurrenceReader extends PostingsBlocks {
  /** Read position in the records. */
  #recordAt = 0;

  /**
   * Writes occurrences as pairs of row and (field << 16 | position) behind the first `count` pairs, which leave room for
   * `entry.positionBytes` more; returns how many there are then. Rows that the map makes negative are left out.
   */
  read(entry: TermEntry, rowMap: Int32Array, fieldMap: Uint16Array, pairs: Uint32Array, count: number): number {
    this.#recordAt = entry.positionsAt;
    if (entry.docCount === 1) {
      const { entries } = this.postings.terms;
      return this.#readRecord(entries, entry.form, rowMap[entry.row]!, fieldMap, pairs, count);
    }
    this.open(entry);
    const { bits, blockRows, forms, positionsBytes } = this;
    let total = count;
    while (this.nextBlock()) {
      const { blockCount, index } = this;
      for (let i = 0; i < blockCount; i++) {
        const form = bits === 0 ? forms[0]! : this.formAt(index + 1 + i);
        total = this.#readRecord(positionsBytes, form, rowMap[blockRows[i]!]!, fieldMap, pairs, total);
      }
      this.passBlock();
    }
    return total;
  }

  /** The same for one row. */
  #readRecord(
    bytes: Uint8Array,
    form: number,
    row: number,
    fieldMap: Uint16Array,
    pairs: Uint32Array,
    count: number,
  ): number {
    const { setFields, setOffsets } = this.postings.fields;
    const repeated = form & 1;
    const end = setOffsets[(form >>> 1) + 1]!;
    let at = this.#recordAt;
    let to = 2 * count;
    for (let field = setOffsets[form >>> 1]!; field < end; field++) {
      let place = fieldMap[setFields[field]!]! << FIELD_SHIFT;
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
        pairs[to] = row;
        pairs[to + 1] = place;
        to += 2;
      }
    }
    this.#recordAt = at;
    return row < 0 ? count : to / 2;
  }
}
