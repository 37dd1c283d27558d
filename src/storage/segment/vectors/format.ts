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
 * codes       8 bits a dimension: the number in steps of a 127th of the largest of its vector, 0 behind the last;
 *             search looks at them before it looks at the floats                     (vectors × codeBytes, not quantized)
 * scales      one such step over the length of the vector, 0 for one without length   (vectors, not quantized)
 * ```
 */

export const HEAD_WORDS = 4;

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

/** Squares of lengths, and products of two, are still exact enough from here on. */
const LENGTH_MIN = 2 ** -60;

/** Whether a vector of this length has a direction that codes can tell. */
export function hasDirection(norm: number): boolean {
  return norm >= LENGTH_MIN && Number.isFinite(norm);
}

/** Codes of a vector lie in whole blocks of this size, as kernels read them. */
const CODE_BLOCK = 16;
export const CODE_MAX = 127;

/** Some vectors side by side, as codes. */
export interface CodedVectors {
  /** Rows of `stride` bytes. */
  codes: Uint8Array;
  scales: Float32Array;
  stride: number;
}

/** Bytes that the codes of a vector take, unused ones included. */
export function codeBytes(dimensions: number): number {
  return Math.ceil(dimensions / CODE_BLOCK) * CODE_BLOCK;
}

/**
 * Writes the codes of a vector of that length, behind whose dimensions `codes` must be zero; returns its scale. Without
 * a length that can be divided by there are no codes.
 */
export function codeInto(vector: ArrayLike<number>, norm: number, codes: Int8Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  const usable = hasDirection(norm);
  const step = largest / CODE_MAX;
  for (let i = 0; i < vector.length; i++) codes[i] = usable ? Math.round(vector[i]! / step) : 0;
  return usable ? Math.fround(step / norm) : 0;
}

/** The length of `floats[at, at + dimensions)` in single precision. */
export function normOf(floats: Float32Array, at: number, dimensions: number): number {
  let sum = 0;
  for (let i = at; i < at + dimensions; i++) sum += floats[i]! * floats[i]!;
  return Math.fround(Math.sqrt(Math.fround(sum)));
}
