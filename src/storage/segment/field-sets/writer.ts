/**
 * Collects which top-level fields each document has. A set is one combination of fields; real collections have few,
 * so a row costs a byte or nothing. Serves the field counts of an index, also when documents leave it.
 */
import { Builder } from "flatbuffers";
import { FieldSetsPart } from "../generated/field-sets-part.ts";
import { type BuiltPart, PART } from "../parts.ts";
import type { FieldSetsReader } from "./reader.ts";

export class FieldSetsWriter {
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #sets: number[][] = [];
  readonly #setNumbers = new Map<string, number>();
  readonly #rows: Uint32Array;
  /** The latest document's fields in order of appearance: the next one usually has the same. */
  #latest: number[] = [];
  #latestSet = -1;

  constructor(rows: number) {
    this.#rows = new Uint32Array(rows);
  }

  /** Fields in order of arrival. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** The number by which a field is known to `add`. */
  fieldNumber(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.length;
      this.#names.push(name);
      this.#numbers.set(name, number);
    }
    return number;
  }

  /** The top-level fields of a row, each once: the first `count` of `fields`. */
  add(row: number, fields: readonly number[], count: number): void {
    const latest = this.#latest;
    let same = this.#latestSet >= 0 && latest.length === count;
    for (let i = 0; same && i < count; i++) same = latest[i] === fields[i];
    if (!same) {
      this.#latest = fields.slice(0, count);
      this.#latestSet = this.setOf(this.#latest);
    }
    this.#rows[row] = this.#latestSet;
  }

  /** The sets of all rows, as `setOf` numbers them. */
  takeRows(sets: Uint32Array): void {
    this.#rows.set(sets);
  }

  /** Takes over rows of another segment; `rowMap` gives the new row of each, -1 for those that are left out. */
  take(reader: FieldSetsReader, rowMap: Int32Array): void {
    const sets = new Map<number, number>();
    for (let row = 0; row < rowMap.length; row++) {
      if (rowMap[row]! < 0) continue;
      const old = reader.setOf(row);
      let set = sets.get(old);
      if (set === undefined) {
        set = this.setOf(reader.fieldsOf(old).map((name) => this.fieldNumber(name)));
        sets.set(old, set);
      }
      this.#rows[rowMap[row]!] = set;
    }
  }

  part(): BuiltPart {
    const builder = new Builder(1024);
    const setOffsets = [0];
    for (const fields of this.#sets) setOffsets.push(setOffsets.at(-1)! + fields.length);
    const namesAt = FieldSetsPart.createNamesVector(
      builder,
      this.#names.map((name) => builder.createString(name)),
    );
    const offsetsAt = FieldSetsPart.createSetOffsetsVector(builder, setOffsets);
    const fieldsAt = FieldSetsPart.createSetFieldsVector(builder, Uint16Array.from(this.#sets.flat()));
    const width = this.#sets.length <= 1 ? 0 : this.#sets.length <= 256 ? 1 : this.#sets.length <= 65_536 ? 2 : 4;
    const forwardAt = width === 0 ? 0 : builder.createByteVector(this.#packed(width));
    FieldSetsPart.startFieldSetsPart(builder);
    FieldSetsPart.addRows(builder, this.#rows.length);
    FieldSetsPart.addNames(builder, namesAt);
    FieldSetsPart.addSetOffsets(builder, offsetsAt);
    FieldSetsPart.addSetFields(builder, fieldsAt);
    FieldSetsPart.addWidth(builder, width);
    if (width !== 0) FieldSetsPart.addForward(builder, forwardAt);
    builder.finish(FieldSetsPart.endFieldSetsPart(builder));
    return { kind: PART.fieldSets, chunks: [builder.asUint8Array()] };
  }

  #packed(width: number): Uint8Array {
    if (width === 1) return Uint8Array.from(this.#rows);
    if (width === 4) return new Uint8Array(this.#rows.buffer);
    return new Uint8Array(Uint16Array.from(this.#rows).buffer);
  }

  /** The number of a combination of fields. */
  setOf(fields: readonly number[]): number {
    const sorted = [...fields].sort((a, b) => a - b);
    const key = sorted.join();
    let set = this.#setNumbers.get(key);
    if (set === undefined) {
      set = this.#sets.length;
      this.#sets.push(sorted);
      this.#setNumbers.set(key, set);
    }
    return set;
  }
}
