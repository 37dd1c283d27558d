/**
 * How the vectors part is laid out: for each embedder the rows that have vectors, where the vectors of each begin, and
 * the vectors themselves. Sizes and small sums only.
 *
 * ```
 * names       JSON list of the embedders' names
 * heads       4 numbers an embedder: dimensions, 1 when quantized, rows with vectors, vectors
 * row_lists   the rows with vectors, ascending                                        (rows with vectors)
 * starts      number of the first vector of each, and the end                         (rows with vectors + 1)
 * regenerate  one bit for each of these rows: the server may replace its vectors      (32 in a word)
 * norms       length of each vector                                                   (vectors, not quantized)
 * bits        for quantized embedders one bit a dimension: whether it is above zero   (vectors × wordsPerVector)
 * floats      for all others                                                          (vectors × dimensions)
 * ```
 */

export const HEAD_WORDS = 4;

/** What a segment must know of an embedder; plain data, which can cross threads. */
export interface EmbedderRule {
  name: string;
  dimensions: number;
  quantized: boolean;
  /** Vectors come with the documents and from nowhere else. */
  userProvided: boolean;
}

/** Bits of a quantized vector are counted in blocks of this size. */
const QUANTIZED_BLOCK = 64;

/** Bits that a quantized vector takes, unused ones included. */
export function quantizedBits(dimensions: number): number {
  return Math.ceil(dimensions / QUANTIZED_BLOCK) * QUANTIZED_BLOCK;
}

export function wordsPerVector(dimensions: number): number {
  return quantizedBits(dimensions) / 32;
}

/** Sets the bits of the dimensions above zero. `words` must be zero there. */
export function quantizeInto(vector: ArrayLike<number>, words: Uint32Array, at: number): void {
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) words[at + (i >>> 5)]! |= 1 << (i & 31);
}

/** The length of `floats[at, at + dimensions)` in single precision. */
export function normOf(floats: Float32Array, at: number, dimensions: number): number {
  let sum = 0;
  for (let i = at; i < at + dimensions; i++) sum += floats[i]! * floats[i]!;
  return Math.fround(Math.sqrt(Math.fround(sum)));
}
