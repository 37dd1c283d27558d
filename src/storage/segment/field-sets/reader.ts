/** Reads which top-level fields the documents of a segment have. Not the field sets of postings: those are in `../fields/`. */
import { ByteBuffer } from "flatbuffers";
import type { Bitmap } from "../bitmap.ts";
import { FieldSetsPart } from "../generated/field-sets-part.ts";
import { privateCopy } from "../shared-bytes.ts";

export class FieldSetsReader {
  readonly rows: number;
  /** Names that documents have at their top, in order of arrival. */
  readonly names: readonly string[];
  readonly #sets: string[][] = [];
  readonly #forward: Uint8Array | Uint16Array | Uint32Array | null;

  constructor(part: Uint8Array) {
    // Decoded at once: names go through TextDecoder, which refuses shared memory, and the rest is small.
    const table = FieldSetsPart.getRootAsFieldSetsPart(new ByteBuffer(privateCopy(part)));
    this.rows = table.rows();
    this.names = Array.from({ length: table.namesLength() }, (_, i) => table.names(i) as string);
    for (let set = 0; set + 1 < table.setOffsetsLength(); set++) {
      const names: string[] = [];
      for (let i = table.setOffsets(set)!; i < table.setOffsets(set + 1)!; i++) {
        names.push(this.names[table.setFields(i)!]!);
      }
      this.#sets.push(names);
    }
    const forward = table.forwardArray();
    const width = table.width();
    if (forward === null || width === 0) this.#forward = null;
    else if (width === 1) this.#forward = forward;
    else {
      const bytes = forward.slice().buffer;
      this.#forward = width === 2 ? new Uint16Array(bytes) : new Uint32Array(bytes);
    }
  }

  /** How many sets there are. */
  get setCount(): number {
    return this.#sets.length;
  }

  setOf(row: number): number {
    return this.#forward === null ? 0 : this.#forward[row]!;
  }

  fieldsOf(set: number): readonly string[] {
    return this.#sets[set] ?? [];
  }

  /** Adds `sign` to the count of every field of every row in the set. */
  count(rows: Bitmap, counts: Map<string, number>, sign: 1 | -1): void {
    const perSet = new Uint32Array(this.#sets.length);
    const forward = this.#forward;
    if (forward === null) perSet[0] = rows.count();
    else {
      rows.forEach((row) => {
        perSet[forward[row]!]!++;
      });
    }
    for (const [set, members] of perSet.entries()) {
      if (members === 0) continue;
      for (const name of this.fieldsOf(set)) counts.set(name, (counts.get(name) ?? 0) + sign * members);
    }
  }
}
