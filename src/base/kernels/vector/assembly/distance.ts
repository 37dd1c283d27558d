/**
 * How far apart two vectors are: exactly over floats, nearly over 8-bit codes, by differing bits. One pair at a time,
 * sixteen bytes at a step; who is compared with whom is not decided here.
 */

/** Codes and the query lie in rows of a multiple of 16 bytes, zero behind the last dimension. */
function sumOf(sums: v128): i32 {
  const pairs = i32x4.add(sums, i8x16.shuffle(sums, sums, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
}

/** Sum of products of `stride` codes with as many 16-bit numbers. */
export function dotWide(codes: usize, wide: usize, stride: usize): i32 {
  let left = i32x4.splat(0);
  let right = i32x4.splat(0);
  for (let i: usize = 0; i < stride; i += 16) {
    left = i32x4.add(left, i32x4.dot_i16x8_s(v128.load_ext<i8>(codes + i), v128.load(wide + 2 * i)));
    right = i32x4.add(right, i32x4.dot_i16x8_s(v128.load_ext<i8>(codes + i, 8), v128.load(wide + 2 * i, 16)));
  }
  return sumOf(i32x4.add(left, right));
}

/** The sums of products of four rows of codes, side by side. */
export function dotFour(a: usize, b: usize, c: usize, d: usize, wide: usize, stride: usize): v128 {
  let sumA = i32x4.splat(0);
  let sumB = i32x4.splat(0);
  let sumC = i32x4.splat(0);
  let sumD = i32x4.splat(0);
  for (let i: usize = 0; i < stride; i += 16) {
    const first = v128.load(wide + 2 * i);
    sumA = i32x4.add(sumA, i32x4.dot_i16x8_s(v128.load_ext<i8>(a + i), first));
    sumB = i32x4.add(sumB, i32x4.dot_i16x8_s(v128.load_ext<i8>(b + i), first));
    sumC = i32x4.add(sumC, i32x4.dot_i16x8_s(v128.load_ext<i8>(c + i), first));
    sumD = i32x4.add(sumD, i32x4.dot_i16x8_s(v128.load_ext<i8>(d + i), first));
    const second = v128.load(wide + 2 * i, 16);
    sumA = i32x4.add(sumA, i32x4.dot_i16x8_s(v128.load_ext<i8>(a + i, 8), second));
    sumB = i32x4.add(sumB, i32x4.dot_i16x8_s(v128.load_ext<i8>(b + i, 8), second));
    sumC = i32x4.add(sumC, i32x4.dot_i16x8_s(v128.load_ext<i8>(c + i, 8), second));
    sumD = i32x4.add(sumD, i32x4.dot_i16x8_s(v128.load_ext<i8>(d + i, 8), second));
  }
  const ab = i32x4.add(v128.shuffle<i32>(sumA, sumB, 0, 4, 1, 5), v128.shuffle<i32>(sumA, sumB, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(sumC, sumD, 0, 4, 1, 5), v128.shuffle<i32>(sumC, sumD, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

/** Sum of products of `stride` codes with as many others. */
export function dotCodes(a: usize, b: usize, stride: usize): i32 {
  let left = i32x4.splat(0);
  let right = i32x4.splat(0);
  for (let i: usize = 0; i < stride; i += 16) {
    left = i32x4.add(left, i32x4.dot_i16x8_s(v128.load_ext<i8>(a + i), v128.load_ext<i8>(b + i)));
    right = i32x4.add(right, i32x4.dot_i16x8_s(v128.load_ext<i8>(a + i, 8), v128.load_ext<i8>(b + i, 8)));
  }
  return sumOf(i32x4.add(left, right));
}

/** Writes codes as 16-bit numbers. */
export function widen(codes: usize, wide: usize, stride: usize): void {
  for (let i: usize = 0; i < stride; i += 8) v128.store(wide + 2 * i, v128.load_ext<i8>(codes + i));
}

/**
 * From 0 (same direction) to 1 (opposite), as the interface shows it: products are summed in double precision, in four
 * sums, the rest is single precision. A vector without length is like any other.
 */
export function exactDistance(vector: usize, norm: f32, query: usize, queryNorm: f32, dimensions: usize): f32 {
  const norms = queryNorm * norm;
  if (norms === 0) return 0;
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  const whole = dimensions & ~3;
  for (let i: usize = 0; i < whole; i += 4) {
    const a = v128.load(vector + 4 * i);
    const b = v128.load(query + 4 * i);
    low = f64x2.add(low, f64x2.mul(f64x2.promote_low_f32x4(a), f64x2.promote_low_f32x4(b)));
    high = f64x2.add(high, f64x2.mul(promoteHigh(a), promoteHigh(b)));
  }
  let first = f64x2.extract_lane(low, 0);
  for (let i = whole; i < dimensions; i++) first += <f64>load<f32>(vector + 4 * i) * <f64>load<f32>(query + 4 * i);
  const dot = first + f64x2.extract_lane(low, 1) + (f64x2.extract_lane(high, 0) + f64x2.extract_lane(high, 1));
  const cosine = <f32>dot / norms;
  return max<f32>(0, (<f32>1 - cosine) / 2);
}

function promoteHigh(floats: v128): v128 {
  return f64x2.promote_low_f32x4(
    i8x16.shuffle(floats, floats, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
  );
}

/** Bits that differ; `bytes` is a multiple of 8. */
export function differingBits(a: usize, b: usize, bytes: usize): u32 {
  let total: u64 = 0;
  for (let i: usize = 0; i < bytes; i += 8) total += popcnt<u64>(load<u64>(a + i) ^ load<u64>(b + i));
  return <u32>total;
}
