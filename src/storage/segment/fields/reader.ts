/** Reads the field table of a segment: local field ids to names, field sets to fields. */
import { ByteBuffer } from "flatbuffers";
import { FieldsPart } from "../generated/fields-part.ts";
import { privateCopy } from "../shared-bytes.ts";

export class FieldsReader {
  readonly rows: number;
  /** Local field id to flattened name, sorted. */
  readonly names: readonly string[];
  /** Members of set s: `setFields[setOffsets[s]] .. setFields[setOffsets[s + 1] - 1]`, ascending. */
  readonly setOffsets: Uint32Array;
  readonly setFields: Uint16Array;
  readonly #ids: Map<string, number>;

  constructor(part: Uint8Array) {
    // The names are decoded by TextDecoder, which refuses shared memory.
    const table = FieldsPart.getRootAsFieldsPart(new ByteBuffer(privateCopy(part)));
    this.rows = table.rows();
    const names: string[] = [];
    for (let i = 0; i < table.namesLength(); i++) names.push(table.names(i) as string);
    this.names = names;
    this.setOffsets = table.setOffsetsArray() ?? new Uint32Array(1);
    this.setFields = table.setFieldsArray() ?? new Uint16Array(0);
    this.#ids = new Map(names.map((name, id) => [name, id]));
  }

  /** Local id of a flattened name; -1 when no row has words there. */
  idOf(name: string): number {
    return this.#ids.get(name) ?? -1;
  }

  /** Number of fields in a set. */
  setSize(set: number): number {
    return this.setOffsets[set + 1]! - this.setOffsets[set]!;
  }
}
