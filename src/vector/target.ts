/**
 * The vector that others are compared with. Distances go from 0 (same direction) to 1 (opposite), in single precision as
 * the interface shows them; similarity is what is left to 1.
 */
import { normOf, quantizedBits, quantizeInto, wordsPerVector } from "../segment/vectors/format.ts";
import type { EmbedderVectors } from "../segment/vectors/reader.ts";
import { differingBits, dotProduct } from "./kernels.ts";

const { fround } = Math;

export class VectorTarget {
  /** As it was given. */
  readonly numbers: ArrayLike<number>;
  private readonly floats: Float32Array;
  private readonly norm: number;
  private readonly bits: Uint32Array;
  private readonly bitCount: number;

  constructor(numbers: ArrayLike<number>) {
    this.numbers = numbers;
    this.floats = Float32Array.from(numbers);
    this.norm = normOf(this.floats, 0, this.floats.length);
    this.bits = new Uint32Array(wordsPerVector(numbers.length));
    quantizeInto(numbers, this.bits, 0);
    this.bitCount = quantizedBits(numbers.length);
  }

  /** To vector number `index`. */
  distance(vectors: EmbedderVectors, index: number): number {
    if (vectors.quantized) {
      const words = vectors.wordsPerVector;
      return fround(differingBits(vectors.bits, index * words, this.bits, words) / this.bitCount);
    }
    const norms = fround(this.norm * vectors.norms[index]!);
    // A vector without direction is like any other.
    if (norms === 0) return 0;
    const { dimensions } = vectors;
    const cosine = fround(fround(dotProduct(vectors.floats, index * dimensions, this.floats, dimensions)) / norms);
    return Math.max(0, fround(fround(1 - cosine) / 2));
  }

  /** Of the vector that `nearestOf` found last. */
  leastDistance = 0;

  /** The number of the nearest of a slot's vectors. */
  nearestOf(vectors: EmbedderVectors, slot: number): number {
    const end = vectors.starts[slot + 1]!;
    let nearest = vectors.starts[slot]!;
    let least = this.distance(vectors, nearest);
    for (let index = nearest + 1; index < end; index++) {
      const distance = this.distance(vectors, index);
      if (distance < least) {
        least = distance;
        nearest = index;
      }
    }
    this.leastDistance = least;
    return nearest;
  }
}

/** How the similarities of an embedder are spread: its usual ones are moved to the middle. */
export interface Distribution {
  mean: number;
  sigma: number;
}

/** The least similarity that is not nothing. */
const LEAST = fround(1.1920929e-7);

export function similarityOf(distance: number, distribution: Distribution | null): number {
  const similarity = fround(1 - distance);
  if (distribution === null) return similarity;
  const factor = fround(fround(0.4) / fround(distribution.sigma));
  const offset = fround(fround(0.5) - fround(fround(distribution.mean) * factor));
  const shifted = fround(fround(similarity * factor) + offset);
  return shifted <= 0 ? LEAST : Math.min(1, shifted);
}
