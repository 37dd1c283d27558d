/** The inner loops of vector search: sums over typed arrays, nothing else. */

/** Sum of products of `a[at, at + count)` and `b[0, count)`. */
export function dotProduct(a: Float32Array, at: number, b: Float32Array, count: number): number {
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  let i = 0;
  for (const end = count - 3; i < end; i += 4, at += 4) {
    sum0 += a[at]! * b[i]!;
    sum1 += a[at + 1]! * b[i + 1]!;
    sum2 += a[at + 2]! * b[i + 2]!;
    sum3 += a[at + 3]! * b[i + 3]!;
  }
  for (; i < count; i++, at++) sum0 += a[at]! * b[i]!;
  return sum0 + sum1 + (sum2 + sum3);
}

/** Bits that differ between `a[at, at + count)` and `b[0, count)`. */
export function differingBits(a: Uint32Array, at: number, b: Uint32Array, count: number): number {
  let total = 0;
  for (let i = 0; i < count; i++) {
    let bits = a[at + i]! ^ b[i]!;
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
    total += Math.imul(bits, 0x01010101) >>> 24;
  }
  return total;
}
