/**
 * Sketches of the vectors of one embedder: two bits a dimension, one where there are many, so few that a search can look
 * at all of them before it compares the likeliest. A bit says on which side of the mean of its dimension a number lies;
 * the second, whether it is far from it. Made from the 8-bit codes; the image, in words:
 *
 *   0 vectors   1 dimensions   2 dimensions at a place   3 places, a multiple of four   4 vectors without direction   up to 8: zero
 *   spread of each dimension (standard deviation), floats, up to a multiple of four
 *   blocks of thirty-two vectors, see src/kernels/vector/assembly/sketch.ts
 *   vectors without direction
 */
import { bytesOf } from "../byte-log.ts";
import { PART_SKETCHES, type Part } from "../parts.ts";
import type { CodedVectors } from "./format.ts";
import { type ImagesReader, imagesPart } from "./images.ts";

const HEAD_WORDS = 8;
const BLOCK = 32;
const PLACE_BYTES = 16;
const PLACES_STEP = 4;
/** Bits of a place: half a byte. */
const PLACE_BITS = 4;
/** Fewer are compared at once. */
const VECTORS_MIN = 8192;
/** From so many dimensions on, one bit each says enough of the whole. */
const MANY_DIMENSIONS = 256;

/**
 * For each number of bits a dimension: where, in spreads from the mean, one value ends and the next begins, and what
 * each of the values stands for. The best there is for numbers that are spread normally.
 */
const BOUNDS: Readonly<Record<number, readonly number[]>> = { 1: [0], 2: [-0.9816, 0, 0.9816] };
const VALUES: Readonly<Record<number, readonly number[]>> = { 1: [-0.7979, 0.7979], 2: [-1.51, -0.4528, 0.4528, 1.51] };

/** What sketches of an embedder's vectors are made from. */
export interface Sketchable {
  name: string;
  dimensions: number;
  vectors: number;
  /** All of them in order, some at a time; gone through twice. */
  coded(): Iterable<CodedVectors>;
}

/** None where there are only few vectors. */
export function sketchParts(embedders: readonly Sketchable[]): Part[] {
  const worth = embedders.filter(({ vectors }) => vectors >= VECTORS_MIN);
  if (worth.length === 0) return [];
  const images = worth.map((embedder) => ({ embedder: embedder.name, image: sketchesOf(embedder) }));
  return [imagesPart(PART_SKETCHES, images)];
}

export function sketchesOf({ coded, dimensions, vectors }: Omit<Sketchable, "name">): Uint32Array {
  const atPlace = dimensions < MANY_DIMENSIONS ? 2 : 4;
  const places = Math.ceil(dimensions / atPlace / PLACES_STEP) * PLACES_STEP;
  const { means, spreads, loose } = spreadOf(coded(), dimensions);
  const spreadWords = Math.ceil(dimensions / 4) * 4;
  const blocks = Math.ceil(vectors / BLOCK);
  const blocksAt = HEAD_WORDS + spreadWords;
  const looseAt = blocksAt + (blocks * places * PLACE_BYTES) / 4;
  const image = new Uint32Array(looseAt + loose.length);
  image.set([vectors, dimensions, atPlace, places, loose.length]);
  new Float32Array(image.buffer, HEAD_WORDS * 4, dimensions).set(spreads);
  image.set(loose, looseAt);
  const bits = PLACE_BITS / atPlace;
  const bounds = BOUNDS[bits]!.map((bound) => means.map((mean, i) => mean + bound * spreads[i]!));
  const bytes = bytesOf(image.subarray(blocksAt, looseAt));
  let vector = 0;
  for (const { codes, scales, stride } of coded()) {
    for (let i = 0; i < scales.length; i++, vector++) {
      const at = Math.floor(vector / BLOCK) * places * PLACE_BYTES + (vector % (BLOCK / 2));
      const shift = vector % BLOCK < BLOCK / 2 ? 0 : PLACE_BITS;
      sketchInto(bytes, at, shift, signed(codes, i * stride, dimensions), scales[i]!, bounds, atPlace);
    }
  }
  return image;
}

/** Sets the bits of one vector: those of the first place at `at`. */
function sketchInto(
  bytes: Uint8Array,
  at: number,
  shift: number,
  codes: Int8Array,
  scale: number,
  bounds: readonly Float64Array[],
  atPlace: number,
): void {
  const bits = PLACE_BITS / atPlace;
  for (let d = 0; d < codes.length; d++) {
    const number = codes[d]! * scale;
    let value = 0;
    for (const bound of bounds) if (number >= bound[d]!) value++;
    bytes[at + Math.floor(d / atPlace) * PLACE_BYTES]! |= value << (shift + (d % atPlace) * bits);
  }
}

function signed({ buffer, byteOffset }: Uint8Array, at: number, length: number): Int8Array {
  return new Int8Array(buffer, byteOffset + at, length);
}

/** Of the vectors at length 1, by dimension; and which have no direction. */
function spreadOf(
  coded: Iterable<CodedVectors>,
  dimensions: number,
): { means: Float64Array; spreads: Float64Array; loose: number[] } {
  const sums = new Float64Array(dimensions);
  const squares = new Float64Array(dimensions);
  const loose: number[] = [];
  let vectors = 0;
  for (const { codes, scales, stride } of coded) {
    const numbers = signed(codes, 0, codes.length);
    for (let i = 0; i < scales.length; i++, vectors++) {
      const scale = scales[i]!;
      if (scale === 0) loose.push(vectors);
      for (let d = 0, at = i * stride; d < dimensions; d++, at++) {
        const number = numbers[at]! * scale;
        sums[d]! += number;
        squares[d]! += number * number;
      }
    }
  }
  const means = sums.map((sum) => sum / vectors);
  const spreads = squares.map((square, d) => Math.sqrt(Math.max(0, square / vectors - means[d]! ** 2)));
  return { means, spreads, loose };
}

/** An image as those see it who look at it. */
export interface Sketches {
  vectors: number;
  places: number;
  spreads: Float32Array;
  dimensionsAtPlace: number;
  blocks: Uint32Array;
  /** Vectors without direction, of which the blocks say nothing. */
  loose: Uint32Array;
}

/** Null when there are none for the embedder. */
export function sketchesIn({ sketches }: { sketches: ImagesReader | null }, embedder: string): Sketches | null {
  const image = sketches?.image(embedder) ?? null;
  return image === null ? null : readSketches(image);
}

function readSketches(image: Uint32Array): Sketches {
  const dimensions = image[1]!;
  const blocksAt = HEAD_WORDS + Math.ceil(dimensions / 4) * 4;
  const looseAt = image.length - image[4]!;
  return {
    vectors: image[0]!,
    dimensionsAtPlace: image[2]!,
    places: image[3]!,
    spreads: new Float32Array(image.buffer, image.byteOffset + HEAD_WORDS * 4, dimensions),
    blocks: image.subarray(blocksAt, looseAt),
    loose: image.subarray(looseAt),
  };
}

/** Most that a number of a table may be, so that four fit in a byte; and all of them together. */
const ENTRY_MAX = 63;
const SUM_MAX = 32_767;

/**
 * Places that have, all together, less than this share of what there is to know of a likeness are left out. By bits a
 * dimension: the less these say, the less it matters.
 */
const IGNORED_SHARES: Readonly<Record<number, number>> = { 1: 0.12, 2: 0.05 };

/**
 * What the bits of each place say of the likeness to a target: up to a constant and a factor, the part of the product
 * with the target that the dimensions at that place have. Written to `tables`, sixteen bytes for each place that matters;
 * where that lies in a block goes to `placeList`. Returns how many they are, a multiple of four.
 */
export function writeTables(
  sketches: Sketches,
  target: Float32Array,
  tables: Uint8Array,
  placeList: Uint32Array,
): number {
  const { dimensionsAtPlace, places, spreads } = sketches;
  const values = VALUES[PLACE_BITS / dimensionsAtPlace]!;
  const most = values.at(-1)!;
  const weights = new Float64Array(places * dimensionsAtPlace);
  for (let d = 0; d < spreads.length; d++) weights[d] = spreads[d]! * target[d]!;
  const chosen = placesThatMatter(weights, dimensionsAtPlace);
  let widest = 0;
  for (const place of chosen) widest = Math.max(widest, reachOf(weights, place, dimensionsAtPlace) * most);
  const factor = widest === 0 ? 0 : Math.min(ENTRY_MAX, Math.floor(SUM_MAX / chosen.length)) / (2 * widest);
  const sums = new Float64Array(1 << PLACE_BITS);
  for (let n = 0; n < chosen.length; n++) {
    const place = chosen[n]!;
    placeList[n] = place * PLACE_BYTES;
    // The sums for the bits of the first dimensions, then each of them with those of the next.
    let count = 1;
    sums[0] = reachOf(weights, place, dimensionsAtPlace) * most * factor + 0.5;
    for (let i = 0; i < dimensionsAtPlace; i++) {
      const weight = weights[place * dimensionsAtPlace + i]! * factor;
      for (let value = values.length - 1; value >= 0; value--) {
        const own = weight * values[value]!;
        for (let k = 0; k < count; k++) sums[value * count + k] = sums[k]! + own;
      }
      count *= values.length;
    }
    for (let i = 0; i < sums.length; i++) tables[n * PLACE_BYTES + i] = Math.max(0, Math.floor(sums[i]!));
  }
  return chosen.length;
}

/** The places in ascending order without those that hardly matter. */
function placesThatMatter(weights: Float64Array, dimensionsAtPlace: number): Uint32Array {
  const places = weights.length / dimensionsAtPlace;
  const shares = new Float64Array(places);
  let all = 0;
  for (let d = 0; d < weights.length; d++) {
    const share = weights[d]! * weights[d]!;
    shares[Math.floor(d / dimensionsAtPlace)]! += share;
    all += share;
  }
  const ascending = shares.slice().sort();
  let ignored = 0;
  let left = IGNORED_SHARES[PLACE_BITS / dimensionsAtPlace]! * all;
  while (ignored < places && ascending[ignored]! <= left) left -= ascending[ignored++]!;
  const kept = Math.max(PLACES_STEP, Math.ceil((places - ignored) / PLACES_STEP) * PLACES_STEP);
  const least = ascending[places - kept]!;
  const chosen = new Uint32Array(kept);
  let count = 0;
  for (let place = 0; place < places && count < kept; place++) if (shares[place]! > least) chosen[count++] = place;
  for (let place = 0; place < places && count < kept; place++) if (shares[place] === least) chosen[count++] = place;
  return chosen.sort();
}

/** The most that the dimensions of a place could add up to, were each a spread away from its mean. */
function reachOf(weights: Float64Array, place: number, dimensionsAtPlace: number): number {
  let sum = 0;
  for (let d = place * dimensionsAtPlace; d < (place + 1) * dimensionsAtPlace; d++) sum += Math.abs(weights[d]!);
  return sum;
}
