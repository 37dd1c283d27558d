/** Reads the vectors part: views over memory, shared or not, in which search scans. Nothing is copied but the names. */

import { ByteBuffer } from "flatbuffers";
import { firstWhere, placeOf } from "../../../base/sorted/binary-search.ts";
import type { Bitmap } from "../bitmap.ts";
import { VectorsPart } from "../generated/vectors-part.ts";
import { textOf } from "../shared-bytes.ts";
import { type CodedVectors, codeBytes, codeInto, HEAD_WORDS, wordsPerVector } from "./format.ts";

export class VectorsReader {
  readonly rows: number;
  readonly embedders: EmbedderVectors[] = [];

  constructor(part: Uint8Array) {
    const table = VectorsPart.getRootAsVectorsPart(new ByteBuffer(part));
    this.rows = table.rows();
    const nameBytes = table.namesArray()!;
    const names = JSON.parse(textOf(nameBytes, 0, nameBytes.length)) as string[];
    const heads = table.headsArray()!;
    const rowLists = table.rowListsArray() ?? NO_WORDS;
    const starts = table.startsArray()!;
    const regenerate = table.regenerateArray() ?? NO_WORDS;
    const norms = table.normsArray() ?? NO_FLOATS;
    const bits = table.bitsArray() ?? NO_WORDS;
    const floats = table.floatsArray() ?? NO_FLOATS;
    const scales = table.scalesArray() ?? NO_FLOATS;
    const codes = table.codesArray() ?? NO_BYTES;
    const at = { rowLists: 0, starts: 0, regenerate: 0, norms: 0, bits: 0, floats: 0, codes: 0 };
    for (const [i, name] of names.entries()) {
      const head = i * HEAD_WORDS;
      const dimensions = heads[head]!;
      const isQuantized = heads[head + 1] === 1;
      const rowCount = heads[head + 2]!;
      const count = heads[head + 3]!;
      const flagWords = (rowCount + 31) >>> 5;
      const normCount = isQuantized ? 0 : count;
      const bitWords = isQuantized ? count * wordsPerVector(dimensions) : 0;
      const floatCount = normCount * dimensions;
      const codeCount = normCount * codeBytes(dimensions);
      this.embedders.push(
        new EmbedderVectors(name, dimensions, isQuantized, this.rows, {
          rowList: rowLists.subarray(at.rowLists, at.rowLists + rowCount),
          starts: starts.subarray(at.starts, at.starts + rowCount + 1),
          regenerate: regenerate.subarray(at.regenerate, at.regenerate + flagWords),
          norms: norms.subarray(at.norms, at.norms + normCount),
          bits: bits.subarray(at.bits, at.bits + bitWords),
          floats: floats.subarray(at.floats, at.floats + floatCount),
          scales: scales.subarray(at.norms, at.norms + normCount),
          codes: codes.subarray(at.codes, at.codes + codeCount),
        }),
      );
      at.rowLists += rowCount;
      at.starts += rowCount + 1;
      at.regenerate += flagWords;
      at.norms += normCount;
      at.bits += bitWords;
      at.floats += floatCount;
      at.codes += codeCount;
    }
  }

  embedder(name: string): EmbedderVectors | null {
    return this.embedders.find((embedder) => embedder.name === name) ?? null;
  }
}

const NO_WORDS = new Uint32Array(0);
const NO_FLOATS = new Float32Array(0);
const NO_BYTES = new Uint8Array(0);

interface VectorLists {
  rowList: Uint32Array;
  starts: Uint32Array;
  regenerate: Uint32Array;
  norms: Float32Array;
  bits: Uint32Array;
  floats: Float32Array;
  scales: Float32Array;
  codes: Uint8Array;
}

/** The vectors of one embedder. A row with vectors has a slot; slots ascend with rows. */
export class EmbedderVectors {
  readonly name: string;
  readonly dimensions: number;
  readonly quantized: boolean;
  readonly rowList: Uint32Array;
  /** Vectors of a slot: `starts[slot] .. starts[slot + 1] - 1`. */
  readonly starts: Uint32Array;
  readonly regenerate: Uint32Array;
  readonly norms: Float32Array;
  readonly bits: Uint32Array;
  readonly floats: Float32Array;
  readonly scales: Float32Array;
  readonly codes: Uint8Array;
  readonly wordsPerVector: number;
  /** Bytes between the codes of one vector and those of the next. */
  readonly codeBytes: number;
  /** Every row has a slot: its own number. */
  readonly isDense: boolean;
  /** Codes and scales are there: segments of earlier versions have none. */
  readonly isCoded: boolean;

  constructor(name: string, dimensions: number, quantized: boolean, rows: number, lists: VectorLists) {
    this.name = name;
    this.dimensions = dimensions;
    this.quantized = quantized;
    this.rowList = lists.rowList;
    this.starts = lists.starts;
    this.regenerate = lists.regenerate;
    this.norms = lists.norms;
    this.bits = lists.bits;
    this.floats = lists.floats;
    this.scales = lists.scales;
    this.codes = lists.codes;
    this.wordsPerVector = wordsPerVector(dimensions);
    this.codeBytes = codeBytes(dimensions);
    this.isDense = lists.rowList.length === rows;
    this.isCoded = !quantized && lists.scales.length === lists.norms.length;
  }

  /** Vectors of all rows. */
  get count(): number {
    return this.starts.at(-1) ?? 0;
  }

  /** Every row with vectors has one: slots and vectors have the same numbers. */
  get isSingle(): boolean {
    return this.count === this.rowList.length;
  }

  /** -1 for a row without vectors. */
  slotOf(row: number): number {
    if (this.isDense) return row;
    return placeOf(this.rowList, row);
  }

  /** The slot that a vector belongs to. */
  slotOfVector(index: number): number {
    if (this.isSingle) return index;
    return firstWhere(1, this.rowList.length, (slot) => this.starts[slot]! > index) - 1;
  }

  mayRegenerate(slot: number): boolean {
    return ((this.regenerate[slot >>> 5]! >>> (slot & 31)) & 1) === 1;
  }

  /** One vector as numbers; a quantized one as ones and zeros. */
  vector(index: number): Float32Array {
    const { dimensions } = this;
    if (!this.quantized) return this.floats.subarray(index * dimensions, (index + 1) * dimensions);
    const numbers = new Float32Array(dimensions);
    const at = index * this.wordsPerVector;
    for (let i = 0; i < dimensions; i++) numbers[i] = (this.bits[at + (i >>> 5)]! >>> (i & 31)) & 1;
    return numbers;
  }

  /** Vectors [from, to) as codes, made now where there are none. */
  coded(from: number, to: number): CodedVectors {
    const { codeBytes: stride, dimensions } = this;
    if (this.isCoded) {
      return { codes: this.codes.subarray(from * stride, to * stride), scales: this.scales.subarray(from, to), stride };
    }
    const codes = new Uint8Array((to - from) * stride);
    const scales = new Float32Array(to - from);
    for (let i = 0; i < scales.length; i++) {
      const own = new Int8Array(codes.buffer, i * stride, dimensions);
      scales[i] = codeInto(this.vector(from + i), this.norms[from + i]!, own);
    }
    return { codes, scales, stride };
  }

  /** Calls `visit` for every slot whose row is in the set. */
  forEach(rows: Bitmap, visit: (slot: number, row: number) => void): void {
    const { rowList } = this;
    for (let slot = 0; slot < rowList.length; slot++) if (rows.has(rowList[slot]!)) visit(slot, rowList[slot]!);
  }
}
