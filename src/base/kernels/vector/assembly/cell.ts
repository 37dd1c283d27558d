/**
 * Cells: vectors around a common centre, so that a search need only look at those whose centres are near. Centres are
 * codes as vectors have them. Here are the two questions that are asked of all of them: which is nearest to a vector,
 * and how near is each to a query.
 */
import { dotFour, widen } from "./distance";
import { keyOf } from "./heap";
import { CellJob, DISTANCE_STEPS } from "./layout";

/**
 * Finds the nearest centre for `count` vectors from `first` on, every `step`-th: one half of a round of
 * k-means (Lloyd 1957, "Least Squares Quantization in PCM"). `wide`: room for a row of 16-bit numbers.
 */
export function assignCells(job: CellJob, first: u32, step: u32, count: u32, wide: usize): void {
  const codes = <usize>job.codes;
  const stride = <usize>job.stride;
  const centres = <usize>job.centres;
  const factors = <usize>job.factors;
  const cells = <usize>job.cells;
  const cellOf = <usize>job.cellOf;
  for (let i: u32 = 0; i < count; i++) {
    const vector = <usize>(first + i * step);
    widen(codes + stride * vector, wide, stride);
    let best = f32x4.splat(-Infinity);
    let bestCells = i32x4.splat(0);
    let four: v128 = i32x4(0, 1, 2, 3);
    for (let cell: usize = 0; cell < cells; cell += 4) {
      const at = centres + stride * cell;
      const dots = dotFour(at, at + stride, at + 2 * stride, at + 3 * stride, wide, stride);
      const similarity = f32x4.mul(f32x4.convert_i32x4_s(dots), v128.load(factors + 4 * cell));
      const isNearer = f32x4.gt(similarity, best);
      best = v128.bitselect(similarity, best, isNearer);
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
 * Makes keys of cells, the nearest first but for those that are hardly any nearer: 2 less the similarity of its centre,
 * above the number of the cell. `unit`: similarity of one unit of the sum of products with a centre of factor 1; `room`:
 * a word for each step of the distance, and two for each cell.
 */
export function rankCells(
  centres: usize,
  factors: usize,
  stride: usize,
  cells: u32,
  query: usize,
  unit: f32,
  keys: usize,
  room: usize,
): void {
  const distances = room + 4 * DISTANCE_STEPS;
  const steps = distances + 4 * <usize>cells;
  memory.fill(room, 0, 4 * DISTANCE_STEPS);
  for (let cell: usize = 0; cell < <usize>cells; cell += 4) {
    const at = centres + stride * cell;
    const dots = dotFour(at, at + stride, at + 2 * stride, at + 3 * stride, query, stride);
    const similarity = f32x4.mul(
      f32x4.mul(f32x4.convert_i32x4_s(dots), f32x4.splat(unit)),
      v128.load(factors + 4 * cell),
    );
    v128.store(distances + 4 * cell, f32x4.max(f32x4.splat(0), f32x4.sub(f32x4.splat(2), similarity)));
    // Similarities are between -1 and 1.
    const four = i32x4.trunc_sat_f32x4_s(
      f32x4.mul(f32x4.sub(f32x4.splat(1), similarity), f32x4.splat(<f32>DISTANCE_STEPS / 2)),
    );
    const inside = i32x4.max_s(i32x4.splat(0), i32x4.min_s(i32x4.splat(DISTANCE_STEPS - 1), four));
    v128.store(steps + 4 * cell, inside);
    count(room, i32x4.extract_lane(inside, 0));
    count(room, i32x4.extract_lane(inside, 1));
    count(room, i32x4.extract_lane(inside, 2));
    count(room, i32x4.extract_lane(inside, 3));
  }
  let next = keys;
  for (let at = room; at < distances; at += 4) {
    const size = load<u32>(at);
    store<u32>(at, <u32>next);
    next += 8 * <usize>size;
  }
  for (let cell: usize = 0; cell < <usize>cells; cell++) {
    const at = room + 4 * <usize>load<u32>(steps + 4 * cell);
    const place = <usize>load<u32>(at);
    store<u64>(place, keyOf(load<f32>(distances + 4 * cell), <u32>cell));
    store<u32>(at, <u32>place + 8);
  }
}

function count(counts: usize, step: i32): void {
  const at = counts + 4 * <usize>step;
  store<u32>(at, load<u32>(at) + 1);
}
