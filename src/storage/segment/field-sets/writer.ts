/**
 * Collects which top-level fields each document has. A shape is one combination of fields; real collections have few,
 * so a row costs a byte or nothing. Serves the field counts of an index, also when documents leave it.
 */
import { Builder } from "flatbuffers";
import { ShapesPart } from "../generated/shapes-part.ts";
import { type BuiltPart, PART_SHAPES } from "../parts.ts";
import type { FieldSetsReader } from "./reader.ts";

export class FieldSetsWriter {
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #shapes: number[][] = [];
  readonly #shapeNumbers = new Map<string, number>();
  readonly #rows: Uint32Array;
  /** The latest document's fields in order of appearance: the next one usually has the same. */
  #latest: number[] = [];
  #latestShape = -1;

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
    let same = this.#latestShape >= 0 && latest.length === count;
    for (let i = 0; same && i < count; i++) same = latest[i] === fields[i];
    if (!same) {
      this.#latest = fields.slice(0, count);
      this.#latestShape = this.shapeOf(this.#latest);
    }
    this.#rows[row] = this.#latestShape;
  }

  /** The shapes of all rows, as `shapeOf` numbers them. */
  takeRows(shapes: Uint32Array): void {
    this.#rows.set(shapes);
  }

  /** Takes over rows of another segment; `rowMap` gives the new row of each, -1 for those that are left out. */
  take(reader: FieldSetsReader, rowMap: Int32Array): void {
    const shapes = new Map<number, number>();
    for (let row = 0; row < rowMap.length; row++) {
      if (rowMap[row]! < 0) continue;
      const old = reader.shapeOf(row);
      let shape = shapes.get(old);
      if (shape === undefined) {
        shape = this.shapeOf(reader.fieldsOf(old).map((name) => this.fieldNumber(name)));
        shapes.set(old, shape);
      }
      this.#rows[rowMap[row]!] = shape;
    }
  }

  part(): BuiltPart {
    const builder = new Builder(1024);
    const shapeOffsets = [0];
    for (const fields of this.#shapes) shapeOffsets.push(shapeOffsets.at(-1)! + fields.length);
    const namesAt = ShapesPart.createNamesVector(
      builder,
      this.#names.map((name) => builder.createString(name)),
    );
    const offsetsAt = ShapesPart.createShapeOffsetsVector(builder, shapeOffsets);
    const fieldsAt = ShapesPart.createShapeFieldsVector(builder, Uint16Array.from(this.#shapes.flat()));
    const width = this.#shapes.length <= 1 ? 0 : this.#shapes.length <= 256 ? 1 : this.#shapes.length <= 65_536 ? 2 : 4;
    const forwardAt = width === 0 ? 0 : builder.createByteVector(this.#packed(width));
    ShapesPart.startShapesPart(builder);
    ShapesPart.addRows(builder, this.#rows.length);
    ShapesPart.addNames(builder, namesAt);
    ShapesPart.addShapeOffsets(builder, offsetsAt);
    ShapesPart.addShapeFields(builder, fieldsAt);
    ShapesPart.addWidth(builder, width);
    if (width !== 0) ShapesPart.addForward(builder, forwardAt);
    builder.finish(ShapesPart.endShapesPart(builder));
    return { kind: PART_SHAPES, chunks: [builder.asUint8Array()] };
  }

  #packed(width: number): Uint8Array {
    if (width === 1) return Uint8Array.from(this.#rows);
    if (width === 4) return new Uint8Array(this.#rows.buffer);
    return new Uint8Array(Uint16Array.from(this.#rows).buffer);
  }

  /** The number of a combination of fields. */
  shapeOf(fields: readonly number[]): number {
    const sorted = [...fields].sort((a, b) => a - b);
    const key = sorted.join();
    let shape = this.#shapeNumbers.get(key);
    if (shape === undefined) {
      shape = this.#shapes.length;
      this.#shapes.push(sorted);
      this.#shapeNumbers.set(key, shape);
    }
    return shape;
  }
}
