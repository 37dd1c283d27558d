/**
 * The vector that others are compared with, in the forms in which kernels want it. Distances go from 0 (same direction)
 * to 1 (opposite), in single precision as the interface shows them; similarity is what is left to 1.
 */
import {
  CODE_MAX,
  codeBytes,
  hasDirection,
  normOf,
  quantizedBits,
  quantizeInto,
  wordsPerVector,
} from "../../storage/segment/vectors/format.ts";

const { fround } = Math;

/** Largest number that a dimension of the target becomes among 16-bit ones; sums of products must stay below 2^31. */
const WIDE_MAX = 16_384;
/** Steps by which a product of length 1 with codes is hardly ever wrong: 3σ of a uniform rounding error, σ = √(1/12). */
const LIKELY_STEPS = 0.87;
/** What rounding in single precision may add to a distance, with much to spare. */
const ROUNDING = 1e-6;

/** The target as whole numbers, to be multiplied with the 8-bit codes of others. */
interface WideTarget {
  numbers: Int16Array;
  /** Similarity (a cosine) that one unit of the sum of products with a vector of scale 1 stands for. */
  unit: number;
  /** By how much a similarity found that way may be wrong, for a vector of scale 1. */
  error: number;
  /** The same with hardly an exception. */
  likelyError: number;
}

export class VectorTarget {
  /** As it was given. */
  readonly numbers: ArrayLike<number>;
  readonly floats: Float32Array;
  /** Length. */
  readonly norm: number;
  #bitForm: Uint32Array | null = null;
  /** Bits that can differ, unused ones included. */
  readonly bitCount: number;
  #wideForm: WideTarget | null = null;

  constructor(numbers: ArrayLike<number>) {
    this.numbers = numbers;
    this.floats = new Float32Array(numbers);
    this.norm = normOf(this.floats, 0, this.floats.length);
    this.bitCount = quantizedBits(numbers.length);
  }

  /** Whether codes can tell how near others are. */
  get hasDirection(): boolean {
    return hasDirection(this.norm);
  }

  /** One for each dimension: whether it is above zero. */
  get bits(): Uint32Array {
    if (this.#bitForm === null) {
      this.#bitForm = new Uint32Array(wordsPerVector(this.numbers.length));
      quantizeInto(this.numbers, this.#bitForm, 0);
    }
    return this.#bitForm;
  }

  /** Of a target that has a direction. */
  get wide(): WideTarget {
    this.#wideForm ??= this.#widened();
    return this.#wideForm;
  }

  #widened(): WideTarget {
    const { floats, norm } = this;
    const numbers = new Int16Array(codeBytes(floats.length));
    const largest = Math.min(WIDE_MAX, Math.floor((2 ** 31 - 1) / (CODE_MAX * numbers.length)));
    let lowest = 0;
    let highest = 0;
    for (let i = 0; i < floats.length; i++) {
      const number = floats[i]!;
      if (number > highest) highest = number;
      else if (number < lowest) lowest = number;
    }
    const step = Math.max(highest, -lowest) / largest;
    const perUnit = 1 / step;
    for (let i = 0; i < floats.length; i++) numbers[i] = Math.floor(floats[i]! * perUnit + 0.5);
    const root = Math.sqrt(floats.length);
    // So many steps of the other vector, and as many of this one; no scale is below 1 / (127 root).
    const errorOf = (steps: number): number => steps + ((steps * step) / norm + ROUNDING) * CODE_MAX * root * 1.01;
    // Half a step in every dimension is the most.
    const most = root / 2;
    return {
      numbers,
      unit: step / norm,
      error: errorOf(most),
      likelyError: errorOf(Math.min(most, LIKELY_STEPS)),
    };
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
