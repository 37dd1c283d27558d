/**
 * Cells: vectors around a common centre, so that a search need only look at those whose centres are near. Centres are
 * codes as vectors have them. Here are the two questions that are asked of all of them: which is nearest to a vector,
 * and how near is each to a query.
 */
import { dotFour, widen } from "./distance";
import { add, keyOf } from "./heap";

/**
 * Finds the nearest centre for `count` vectors from `first` on, every `step`-th. `job`, in words:
 *   0 codes of the vectors   1 bytes of a row of codes   2 codes of the centres   3 a factor of each of them, as floats
 *   4 how many they are, a multiple of four   5 cell of each vector
 * `wide`: room for a row of 16-bit numbers.
 */
export function assignCells(job: usize, first: u32, step: u32, count: u32, wide: usize): void {
  const codes = <usize>load<u32>(job);
  const stride = <usize>load<u32>(job, 4);
  const centres = <usize>load<u32>(job, 8);
  const factors = <usize>load<u32>(job, 12);
  const cells = <usize>load<u32>(job, 16);
  const cellOf = <usize>load<u32>(job, 20);
  for (let i: u32 = 0; i < count; i++) {
    const vector = <usize>(first + i * step);
    widen(codes + stride * vector, wide, stride);
    let best = f32x4.splat(-Infinity);
    let bestCells = i32x4.splat(0);
    let four: v128 = i32x4(0, 1, 2, 3);
    for (let cell: usize = 0; cell < cells; cell += 4) {
      const at = centres + stride * cell;
      const dots = dotFour(at, at + stride, at + 2 * stride, at + 3 * stride, wide, stride);
      const likeness = f32x4.mul(f32x4.convert_i32x4_s(dots), v128.load(factors + 4 * cell));
      const isNearer = f32x4.gt(likeness, best);
      best = v128.bitselect(likeness, best, isNearer);
      bestCells = v128.bitselect(four, bestCells, isNearer);
      four = i32x4.add(four, i32x4.splat(4));
    }
    let most = f32x4.extract_lane(best, 0);
    let cell = i32x4.extract_lane(bestCells, 0);
    if (f32x4.extract_lane(best, 1) > most) {
      most = f32x4.extract_lane(best, 1);
      cell = i32x4.extract_lane(bestCells, 1);
    }
    if (f32x4.extract_lane(best, 2) > most) {
      most = f32x4.extract_lane(best, 2);
      cell = i32x4.extract_lane(bestCells, 2);
    }
    if (f32x4.extract_lane(best, 3) > most) cell = i32x4.extract_lane(bestCells, 3);
    store<u32>(cellOf + 4 * vector, cell);
  }
}

/**
 * Makes a heap of keys, the nearest cell on top: 2 less the similarity of its centre, above its number. `unit`:
 * similarity of one unit of the sum of products with a centre of factor 1.
 */
export function rankCells(
  centres: usize,
  factors: usize,
  stride: usize,
  cells: u32,
  query: usize,
  unit: f32,
  heap: usize,
): void {
  for (let cell: u32 = 0; cell < cells; cell += 4) {
    const at = centres + stride * <usize>cell;
    const dots = dotFour(at, at + stride, at + 2 * stride, at + 3 * stride, query, stride);
    const likeness = f32x4.mul(
      f32x4.mul(f32x4.convert_i32x4_s(dots), f32x4.splat(unit)),
      v128.load(factors + 4 * <usize>cell),
    );
    const distances = f32x4.max(f32x4.splat(0), f32x4.sub(f32x4.splat(2), likeness));
    add(heap, cell, keyOf(f32x4.extract_lane(distances, 0), cell));
    add(heap, cell + 1, keyOf(f32x4.extract_lane(distances, 1), cell + 1));
    add(heap, cell + 2, keyOf(f32x4.extract_lane(distances, 2), cell + 2));
    add(heap, cell + 3, keyOf(f32x4.extract_lane(distances, 3), cell + 3));
  }
}
