/**
 * Bit codes of the vectors of one embedder: two bits a dimension, one where there are many, so few that a search can look
 * at very many of them before it compares the best of them. A bit says on which side of the mean of its dimension a number
 * lies; the second, whether it is far from it. Made from the 8-bit codes. Vectors lie in their order, and the mean is that
 * of all; or they lie in cells of near ones, and it is that of their cell. The image, in words:
 *
 *   0 vectors   1 dimensions   2 dimensions at a place   3 places, a multiple of four   4 vectors without direction
 *   5 cells, a multiple of four; 0 when there are none   up to 8: zero
 *   spread of each dimension around the means (standard deviation), floats, up to a multiple of four
 *   first block of each cell | vectors of each cell | step of the codes of each centre, floats | codes of the centres
 *   slot of each vector in the order of the blocks, 0 where the last block of a cell is not full; only with cells
 *   blocks of thirty-two vectors, see src/base/kernels/vector/assembly/sketch.ts; with cells, a weight of each behind them
 *   vectors without direction
 */
import { BLOCK_VECTORS, PLACES_STEP } from "../../../base/kernels/vector/generated/layout.ts";
import { bytesOf } from "../byte-log.ts";
import { PART, type Part } from "../parts.ts";
import { type BlobsReader, blobsPart } from "./blobs.ts";
import { type CodedVectors, codeBytes, codeInto } from "./format.ts";

const HEAD_WORDS = 8;
export const PLACE_BYTES = 16;
/** Of the weights of a block, and what stands for 1 there. */
const WEIGHTS_BYTES = 64;
const WEIGHT_UNIT = 2 ** 14;
const WEIGHT_MAX = 2 ** 15 - 1;
/** Bits of a place: half a byte. */
const PLACE_BITS = 4;
/** Fewer are compared at once. */
const VECTORS_MIN = 8192;
/** From this many dimensions on one bit for each is enough. */
const MANY_DIMENSIONS = 256;

/**
 * From where on, in spreads from the mean, a number is far from it; and for each number of bits a dimension what each of
 * the values stands for, lowest first: the Lloyd–Max levels of a unit normal (Max 1960, "Quantizing for Minimum
 * Distortion").
 */
const FAR = 0.9816;
const VALUES: Readonly<Record<number, readonly number[]>> = {
  1: [-0.7979, 0.7979],
  2: [-1.51, -0.4528, 0.4528, 1.51],
};

/** What sketches of an embedder's vectors are made from. */
interface BitCodable {
  name: string;
  dimensions: number;
  vectors: number;
  /** All of them in order, some at a time; gone through three times. */
  coded(): Iterable<CodedVectors>;
}

/** Which vectors lie together. */
interface CellPlan {
  cells: number;
  cellOf: Uint32Array;
  /** Slot of a vector. */
  slotOf(vector: number): number;
}

/** None where there are only few vectors. */
export function bitCodeParts(embedders: readonly BitCodable[]): Part[] {
  const worth = embedders.filter(({ vectors }) => vectors >= VECTORS_MIN);
  if (worth.length === 0) return [];
  const images = worth.map((embedder) => ({ embedder: embedder.name, image: bitCodesOf(embedder) }));
  return [blobsPart(PART.bitCodes, images)];
}

/** Without a plan vectors stay in their order. */
export function bitCodesOf(given: Omit<BitCodable, "name">, plan: CellPlan | null = null): Uint32Array {
  const { coded, dimensions, vectors } = given;
  const cellOf = (vector: number): number => plan?.cellOf[vector] ?? 0;
  const { means, sizes, loose } = meansOf(coded(), dimensions, cellOf, plan?.cells ?? 1);
  const image = laidOut(given, plan?.cells ?? 0, plan === null ? Uint32Array.of(vectors) : sizes, loose);
  const { cells, spreads } = readSketches(image);
  if (cells !== null) codeCentres(means, sizes, cells);
  spreads.set(spreadsOf(coded(), means, cellOf, dimensions));
  const writer = new BitCodeWriter(image);
  const next = cells?.firstBlocks.map((block) => block * BLOCK_VECTORS) ?? null;
  forEachVector(coded(), (codes, scale, vector) => {
    const mean = cellOf(vector) * dimensions;
    if (plan === null || cells === null || next === null) {
      writer.write(vector, codes, scale, means, mean);
    } else if (scale !== 0) {
      const at = next[plan.cellOf[vector]!]!++;
      cells.slots[at] = plan.slotOf(vector);
      writer.write(at, codes, scale, means, mean);
    }
  });
  return image;
}

/** Writes the bit codes of vectors into the blocks of an image whose spreads are known. */
class BitCodeWriter {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #sketches: BitCodes;
  readonly #values: readonly number[];
  readonly #differences: Float32Array;

  constructor(image: Uint32Array) {
    this.#sketches = readSketches(image);
    const { blocks, spreads } = this.#sketches;
    this.#bytes = bytesOf(blocks);
    this.#view = new DataView(blocks.buffer, blocks.byteOffset, blocks.byteLength);
    this.#values = valuesOf(this.#sketches);
    this.#differences = new Float32Array(spreads.length);
  }

  /** At a place of the blocks; the means of its cell begin at `mean`. */
  write(at: number, codes: Int8Array, scale: number, means: Float64Array, mean: number): void {
    const bytes = this.#bytes;
    const differences = this.#differences;
    const sketches = this.#sketches;
    const values = this.#values;
    const { blockBytes, cells, dimensionsAtPlace, spreads } = sketches;
    for (let d = 0; d < differences.length; d++) differences[d] = codes[d]! * scale - means[mean + d]!;
    // Near its centre all numbers are: what is far from the mean is measured by the vector itself, and weighed after.
    const reach = cells === null ? 1 : this.#reach();
    const first = Math.floor(at / BLOCK_VECTORS) * blockBytes + (at % (BLOCK_VECTORS / 2));
    const shift = at % BLOCK_VECTORS < BLOCK_VECTORS / 2 ? 0 : PLACE_BITS;
    const bits = PLACE_BITS / dimensionsAtPlace;
    let square = 0;
    let similarity = 0;
    for (let d = 0; d < differences.length; d++) {
      const number = differences[d]!;
      let value = number >= 0 ? 1 : 0;
      if (bits === 2) {
        const far = FAR * spreads[d]! * reach;
        value = number >= 0 ? (number >= far ? 3 : 2) : number >= -far ? 1 : 0;
      }
      bytes[first + Math.floor(d / dimensionsAtPlace) * PLACE_BYTES]! |=
        value << (shift + (d % dimensionsAtPlace) * bits);
      square += number * number;
      similarity += number * values[value]! * spreads[d]!;
    }
    if (cells === null) return;
    const weight = similarity === 0 ? 0 : Math.min(WEIGHT_MAX, Math.round((WEIGHT_UNIT * square) / similarity));
    const inBlock = at % BLOCK_VECTORS;
    const weightsAt = (Math.floor(at / BLOCK_VECTORS) + 1) * blockBytes - WEIGHTS_BYTES;
    this.#view.setInt16(weightsAt + (inBlock >>> 4) * 32 + (inBlock & 1) * 16 + (inBlock & 15 & ~1), weight, true);
  }

  /** How far the numbers are from the means, in spreads. */
  #reach(): number {
    const { spreads } = this.#sketches;
    let sum = 0;
    for (let d = 0; d < spreads.length; d++) if (spreads[d]! > 0) sum += (this.#differences[d]! / spreads[d]!) ** 2;
    return Math.sqrt(sum / spreads.length);
  }
}

/** The image without what is known of the vectors themselves. `sizes`: vectors that begin in a new block each. */
function laidOut(
  { dimensions, vectors }: Omit<BitCodable, "name">,
  cells: number,
  sizes: Uint32Array,
  loose: readonly number[],
): Uint32Array {
  const atPlace = dimensions < MANY_DIMENSIONS ? 2 : 4;
  const places = Math.ceil(dimensions / atPlace / PLACES_STEP) * PLACES_STEP;
  const blocks = sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK_VECTORS), 0);
  const cellWords = cells === 0 ? 0 : cells * (3 + codeBytes(dimensions) / 4) + blocks * BLOCK_VECTORS;
  const words = HEAD_WORDS + spreadWords(dimensions) + cellWords + (blocks * bytesOfBlock(places, cells)) / 4;
  const image = new Uint32Array(words + loose.length);
  image.set([vectors, dimensions, atPlace, places, loose.length, cells]);
  image.set(loose, words);
  let block = 0;
  for (let cell = 0; cell < cells; cell++) {
    image[HEAD_WORDS + spreadWords(dimensions) + cell] = block;
    image[HEAD_WORDS + spreadWords(dimensions) + cells + cell] = sizes[cell]!;
    block += Math.ceil(sizes[cell]! / BLOCK_VECTORS);
  }
  return image;
}

function bytesOfBlock(places: number, cells: number): number {
  return places * PLACE_BYTES + (cells === 0 ? 0 : WEIGHTS_BYTES);
}

function spreadWords(dimensions: number): number {
  return Math.ceil(dimensions / 4) * 4;
}

/** Writes the codes of centres, and makes the means what can be told from them. */
function codeCentres(means: Float64Array, sizes: Uint32Array, { centres, steps, stride }: BitCodeCells): void {
  const dimensions = means.length / sizes.length;
  for (let cell = 0; cell < sizes.length; cell++) {
    const mean = means.subarray(cell * dimensions, (cell + 1) * dimensions);
    const codes = signed(centres, cell * stride, stride);
    // Of length 1, so that the scale is the step.
    steps[cell] = codeInto(mean, 1, codes);
    for (let d = 0; d < dimensions; d++) mean[d] = codes[d]! * steps[cell]!;
  }
}

function signed({ buffer, byteOffset }: Uint8Array, at: number, length: number): Int8Array {
  return new Int8Array(buffer, byteOffset + at, length);
}

function forEachVector(
  coded: Iterable<CodedVectors>,
  visit: (codes: Int8Array, scale: number, vector: number) => void,
): void {
  let vector = 0;
  for (const { codes, scales, stride } of coded) {
    for (let i = 0; i < scales.length; i++, vector++) visit(signed(codes, i * stride, stride), scales[i]!, vector);
  }
}

/** Of the vectors at length 1, by cell and dimension; and which have no direction. */
function meansOf(
  coded: Iterable<CodedVectors>,
  dimensions: number,
  cellOf: (vector: number) => number,
  cells: number,
): { means: Float64Array; sizes: Uint32Array; loose: number[] } {
  const means = new Float64Array(cells * dimensions);
  const sizes = new Uint32Array(cells);
  const loose: number[] = [];
  forEachVector(coded, (codes, scale, vector) => {
    if (scale === 0) {
      loose.push(vector);
      return;
    }
    const at = cellOf(vector) * dimensions;
    sizes[cellOf(vector)]!++;
    for (let d = 0; d < dimensions; d++) means[at + d]! += codes[d]! * scale;
  });
  for (let i = 0; i < means.length; i++) means[i]! /= Math.max(1, sizes[Math.floor(i / dimensions)]!);
  return { means, sizes, loose };
}

/** How far numbers are from the means of their cells. */
function spreadsOf(
  coded: Iterable<CodedVectors>,
  means: Float64Array,
  cellOf: (vector: number) => number,
  dimensions: number,
): Float64Array {
  const squares = new Float64Array(dimensions);
  let count = 0;
  forEachVector(coded, (codes, scale, vector) => {
    if (scale === 0) return;
    count++;
    const at = cellOf(vector) * dimensions;
    for (let d = 0; d < dimensions; d++) squares[d]! += (codes[d]! * scale - means[at + d]!) ** 2;
  });
  return squares.map((square) => Math.sqrt(square / Math.max(1, count)));
}

/** An image as those see it who look at it. */
export interface BitCodes {
  vectors: number;
  places: number;
  spreads: Float32Array;
  dimensionsAtPlace: number;
  blocks: Uint32Array;
  blockBytes: number;
  /** Vectors without direction, of which the blocks say nothing. */
  loose: Uint32Array;
  /** Null when vectors lie in their order. */
  cells: BitCodeCells | null;
}

export interface BitCodeCells {
  count: number;
  firstBlocks: Uint32Array;
  sizes: Uint32Array;
  /** Rows of `stride` bytes: the centres in steps of their own. */
  centres: Uint8Array;
  steps: Float32Array;
  stride: number;
  /** Of each place in the blocks. */
  slots: Uint32Array;
}

/** What each of the values that the bits of a dimension can have stands for, in spreads from the mean. */
export function valuesOf({ dimensionsAtPlace }: BitCodes): readonly number[] {
  return VALUES[PLACE_BITS / dimensionsAtPlace]!;
}

/** Null when there are none for the embedder. */
export function bitCodesIn({ sketches }: { sketches: BlobsReader | null }, embedder: string): BitCodes | null {
  const image = sketches?.image(embedder) ?? null;
  return image === null ? null : readSketches(image);
}

function readSketches(image: Uint32Array): BitCodes {
  const [vectors, dimensions, dimensionsAtPlace, places, loose, count] = image as unknown as number[] as Head;
  const cellsAt = HEAD_WORDS + spreadWords(dimensions);
  const looseAt = image.length - loose;
  const slotsAt = cellsAt + count * (3 + codeBytes(dimensions) / 4);
  const blockBytes = bytesOfBlock(places, count);
  const blockWords = blockBytes / 4;
  const blocks = (looseAt - slotsAt) / (blockWords + (count === 0 ? 0 : BLOCK_VECTORS));
  const blocksAt = looseAt - blocks * blockWords;
  return {
    vectors,
    dimensionsAtPlace,
    places,
    blockBytes,
    spreads: floatsOf(image, HEAD_WORDS, dimensions),
    blocks: image.subarray(blocksAt, looseAt),
    loose: image.subarray(looseAt),
    cells: count === 0 ? null : readCells(image, cellsAt, count, codeBytes(dimensions), slotsAt, blocksAt),
  };
}

/** The first words of an image. */
type Head = [number, number, number, number, number, number];

function readCells(
  image: Uint32Array,
  at: number,
  count: number,
  stride: number,
  slotsAt: number,
  blocksAt: number,
): BitCodeCells {
  return {
    count,
    firstBlocks: image.subarray(at, at + count),
    sizes: image.subarray(at + count, at + 2 * count),
    steps: floatsOf(image, at + 2 * count, count),
    centres: bytesOf(image.subarray(at + 3 * count, slotsAt)),
    stride,
    slots: image.subarray(slotsAt, blocksAt),
  };
}

function floatsOf(image: Uint32Array, at: number, length: number): Float32Array {
  return new Float32Array(image.buffer, image.byteOffset + 4 * at, length);
}
