/**
 * Goes over the vectors of a segment one after the other and keeps the nearest rows. Rows with vectors have slots; a
 * call looks at `count` of them, so that its caller can watch the time in between: those of a list, or without one
 * (`list` 0) those from `from` on.
 */
import { differingBits, dotFour, dotWide, exactDistance } from "./distance";
import { distanceOf, keep, keyOf } from "./heap";
import { VectorSet } from "./layout";

/** Followed by `wanted` bounds, then candidates. */
@unmanaged
class Gathered {
  candidates: u32;
  bounds: u32;
}

/** First of the vectors of a slot, all of which count. */
function firstOf(set: VectorSet, slot: u32): u32 {
  const starts = <usize>set.starts;
  return starts === 0 ? slot : load<u32>(starts + 4 * <usize>slot);
}

function endOf(set: VectorSet, slot: u32): u32 {
  const starts = <usize>set.starts;
  return starts === 0 ? slot + 1 : load<u32>(starts + 4 * <usize>(slot + 1));
}

/** The slot at a place of a list; without a list slots are taken as they come. */
function slotAt(list: usize, from: u32, i: u32): u32 {
  return list === 0 ? from + i : load<u32>(list + 4 * <usize>i);
}

/** Lists the slots in [from, to) whose rows may be kept; returns how many. `list` 0 only counts them. */
export function listSlots(set: VectorSet, from: u32, to: u32, list: usize): u32 {
  const rows = <usize>set.rows;
  const rowList = <usize>set.rowList;
  let count: u32 = 0;
  if (rowList !== 0) {
    for (let slot = from; slot < to; slot++) {
      const row = load<u32>(rowList + 4 * <usize>slot);
      if (((load<u32>(rows + 4 * <usize>(row >> 5)) >> (row & 31)) & 1) === 0) continue;
      if (list !== 0) store<u32>(list + 4 * <usize>count, slot);
      count++;
    }
    return count;
  }
  if (list === 0) return countBits(rows, from, to);
  for (let first = from & ~31; first < to; first += 32) {
    let word = load<u32>(rows + 4 * <usize>(first >> 5));
    if (first < from) word &= u32.MAX_VALUE << (from & 31);
    if (to - first < 32) word &= ~(u32.MAX_VALUE << (to & 31));
    for (; word !== 0; word &= word - 1) {
      store<u32>(list + 4 * <usize>count, first + ctz<u32>(word));
      count++;
    }
  }
  return count;
}

/** How many bits are set of those in [from, to). */
function countBits(bits: usize, from: u32, to: u32): u32 {
  let count: u64 = 0;
  let at = from;
  for (; at < to && (at & 63) !== 0; at++) count += (load<u32>(bits + 4 * <usize>(at >> 5)) >> (at & 31)) & 1;
  for (; at + 64 <= to; at += 64) count += popcnt<u64>(load<u64>(bits + <usize>(at >> 3)));
  for (; at < to; at++) count += (load<u32>(bits + 4 * <usize>(at >> 5)) >> (at & 31)) & 1;
  return <u32>count;
}

/**
 * Over codes: gathers every slot that could be among the `wanted` nearest, given that a similarity may be wrong by half
 * a step of the code in every dimension. `unit`: similarity of one unit of the sum of products with a vector of scale
 * 1; `half`: what half a step of it in every dimension amounts to.
 *
 * `found`: a `Gathered`, then `wanted` bounds (the nearest possible worst cases, 8
 * bytes each), then candidates (best case, slot), 8 bytes each, `capacity` of them. Returns how many slots it has looked
 * at: fewer than `count` when there is no more room.
 */
export function scanCodes(
  set: VectorSet,
  list: usize,
  from: u32,
  count: u32,
  wanted: u32,
  found: usize,
  capacity: u32,
): u32 {
  const isSingle = set.starts === 0;
  const done = isSingle
    ? scanSingle(set, list, from, count, wanted, found, capacity)
    : scanSeveral(set, list, from, count, wanted, found, capacity);
  if (done === count) {
    const gathered = changetype<Gathered>(found);
    gathered.candidates = narrowed(
      found + offsetof<Gathered>() + 8 * <usize>wanted,
      gathered.candidates,
      limitOf(found, wanted),
    );
  }
  return done;
}

/** Whoever is farther than this in the best case is not among the nearest. */
function limitOf(found: usize, wanted: u32): f32 {
  return changetype<Gathered>(found).bounds < wanted ? Infinity : distanceOf(load<u64>(found + offsetof<Gathered>()));
}

/** Adds a candidate; false when there is no room. */
function admit(found: usize, wanted: u32, capacity: u32, best: f32, worst: f32, slot: u32): bool {
  const candidates = found + offsetof<Gathered>() + 8 * <usize>wanted;
  const gathered = changetype<Gathered>(found);
  let held = gathered.candidates;
  if (held === capacity) {
    held = narrowed(candidates, held, limitOf(found, wanted));
    gathered.candidates = held;
    if (held === capacity) return false;
  }
  store<u64>(candidates + 8 * <usize>held, keyOf(best, slot));
  gathered.candidates = held + 1;
  gathered.bounds = keep(found + offsetof<Gathered>(), gathered.bounds, wanted, keyOf(worst, slot));
  return true;
}

/** Slots of any number of vectors, one after the other. */
function scanSeveral(
  set: VectorSet,
  list: usize,
  from: u32,
  count: u32,
  wanted: u32,
  found: usize,
  capacity: u32,
): u32 {
  const codes = <usize>set.data;
  const scales = <usize>set.factors;
  const stride = <usize>set.stride;
  const query = <usize>set.query;
  const unit = set.unit;
  const half = set.half;
  let limit = limitOf(found, wanted);
  for (let i: u32 = 0; i < count; i++) {
    const slot = slotAt(list, from, i);
    let best: f32 = Infinity;
    let worst: f32 = Infinity;
    const end = endOf(set, slot);
    for (let vector = firstOf(set, slot); vector < end; vector++) {
      const scale = load<f32>(scales + 4 * <usize>vector);
      const dot = dotWide(codes + stride * <usize>vector, query, stride);
      // Without codes: as near as can be, or as far.
      const similarity: f32 = scale === 0 ? 0 : <f32>dot * unit * scale;
      const error: f32 = scale === 0 ? 1 : half * scale;
      best = min(best, max<f32>(0, <f32>2 - similarity - error));
      worst = min(worst, max<f32>(0, <f32>2 - similarity + error));
    }
    if (best > limit || best === Infinity) continue;
    if (!admit(found, wanted, capacity, best, worst, slot)) return i;
    limit = limitOf(found, wanted);
  }
  return count;
}

/** Slots of one vector each, four at a time. */
function scanSingle(set: VectorSet, list: usize, from: u32, count: u32, wanted: u32, found: usize, capacity: u32): u32 {
  const codes = <usize>set.data;
  const scales = <usize>set.factors;
  const stride = <usize>set.stride;
  const query = <usize>set.query;
  const unit = f32x4.splat(set.unit);
  const half = f32x4.splat(set.half);
  const bests = changetype<usize>(set) + offsetof<VectorSet>();
  const worsts = bests + 16;
  let limits = f32x4.splat(limitOf(found, wanted));
  const last = count - 1;
  for (let i: u32 = 0; i < count; i += 4) {
    const a = <usize>slotAt(list, from, i);
    const b = <usize>slotAt(list, from, min(i + 1, last));
    const c = <usize>slotAt(list, from, min(i + 2, last));
    const d = <usize>slotAt(list, from, min(i + 3, last));
    const dots = dotFour(codes + stride * a, codes + stride * b, codes + stride * c, codes + stride * d, query, stride);
    let four = v128.load_splat<f32>(scales + 4 * a);
    four = v128.load_lane<f32>(scales + 4 * b, four, 1);
    four = v128.load_lane<f32>(scales + 4 * c, four, 2);
    four = v128.load_lane<f32>(scales + 4 * d, four, 3);
    // Without codes, of which the sum of products is 0: as near as can be, or as far.
    const similarity = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(dots), unit), four);
    const distance = f32x4.sub(f32x4.splat(2), similarity);
    const error = v128.bitselect(f32x4.splat(1), f32x4.mul(half, four), f32x4.eq(four, f32x4.splat(0)));
    const best = f32x4.max(f32x4.splat(0), f32x4.sub(distance, error));
    let near = i32x4.bitmask(f32x4.le(best, limits));
    if (near === 0) continue;
    v128.store(bests, best);
    v128.store(worsts, f32x4.max(f32x4.splat(0), f32x4.add(distance, error)));
    for (; near !== 0; near &= near - 1) {
      const lane = <u32>ctz<i32>(near);
      if (i + lane > last) break;
      const own = load<f32>(bests + 4 * <usize>lane);
      if (own > limitOf(found, wanted)) continue;
      const slot = slotAt(list, from, i + lane);
      if (!admit(found, wanted, capacity, own, load<f32>(worsts + 4 * <usize>lane), slot)) return i + lane;
    }
    limits = f32x4.splat(limitOf(found, wanted));
  }
  return count;
}

/** Drops the candidates whose best case is beyond the limit; those that stay keep their order. */
function narrowed(candidates: usize, count: u32, limit: f32): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(candidates + 8 * <usize>i);
    if (distanceOf(key) > limit) continue;
    store<u64>(candidates + 8 * <usize>kept, key);
    kept++;
  }
  return kept;
}

/** Exact distance of the nearest vector of a slot; more than any when none counts. `set.unit`: length of the query. */
function exactSlot(set: VectorSet, slot: u32): f32 {
  const floats = <usize>set.data;
  const norms = <usize>set.factors;
  const dimensions = <usize>set.stride;
  const query = <usize>set.query;
  const queryNorm = set.unit;
  const end = endOf(set, slot);
  let least: f32 = Infinity;
  for (let vector = firstOf(set, slot); vector < end; vector++) {
    const norm = load<f32>(norms + 4 * <usize>vector);
    const distance = exactDistance(floats + 4 * dimensions * <usize>vector, norm, query, queryNorm, dimensions);
    least = min(least, distance);
  }
  return least;
}

/** Over floats: keeps the `capacity` nearest of the slots in a heap of keys; returns its new size. */
export function scanFloats(
  set: VectorSet,
  list: usize,
  from: u32,
  count: u32,
  heap: usize,
  size: u32,
  capacity: u32,
): u32 {
  let held = size;
  for (let i: u32 = 0; i < count; i++) {
    const slot = slotAt(list, from, i);
    const distance = exactSlot(set, slot);
    if (distance !== Infinity) held = keep(heap, held, capacity, keyOf(distance, slot));
  }
  return held;
}

/** The same for slots that stand in the lower halves of keys. */
export function rankFloats(set: VectorSet, keys: usize, count: u32, heap: usize, size: u32, capacity: u32): u32 {
  let held = size;
  for (let i: u32 = 0; i < count; i++) {
    const slot = load<u32>(keys + 8 * <usize>i);
    const distance = exactSlot(set, slot);
    if (distance !== Infinity) held = keep(heap, held, capacity, keyOf(distance, slot));
  }
  return held;
}

/** Over bits: as `scanFloats`; a distance is the number of bits that differ over `set.unit`, the number of bits. */
export function scanBits(
  set: VectorSet,
  list: usize,
  from: u32,
  count: u32,
  heap: usize,
  size: u32,
  capacity: u32,
): u32 {
  const bits = <usize>set.data;
  const stride = <usize>set.stride;
  const query = <usize>set.query;
  const all = set.unit;
  let held = size;
  for (let i: u32 = 0; i < count; i++) {
    const slot = slotAt(list, from, i);
    const end = endOf(set, slot);
    let vector = firstOf(set, slot);
    if (vector >= end) continue;
    let least: u32 = u32.MAX_VALUE;
    for (; vector < end; vector++) least = min(least, differingBits(bits + stride * <usize>vector, query, stride));
    held = keep(heap, held, capacity, keyOf(<f32>least / all, slot));
  }
  return held;
}

/** The number of the nearest vector of a slot, of those that count; the first of equally near ones. */
export function bestOfFloats(set: VectorSet, slot: u32): u32 {
  const floats = <usize>set.data;
  const norms = <usize>set.factors;
  const dimensions = <usize>set.stride;
  const end = endOf(set, slot);
  let best = firstOf(set, slot);
  let least: f32 = Infinity;
  for (let vector = best; vector < end; vector++) {
    const norm = load<f32>(norms + 4 * <usize>vector);
    const at = floats + 4 * dimensions * <usize>vector;
    const distance = exactDistance(at, norm, <usize>set.query, set.unit, dimensions);
    if (distance >= least) continue;
    least = distance;
    best = vector;
  }
  return best;
}

export function bestOfBits(set: VectorSet, slot: u32): u32 {
  const bits = <usize>set.data;
  const stride = <usize>set.stride;
  const end = endOf(set, slot);
  let best = firstOf(set, slot);
  let least: u32 = u32.MAX_VALUE;
  for (let vector = best; vector < end; vector++) {
    const count = differingBits(bits + stride * <usize>vector, <usize>set.query, stride);
    if (count >= least) continue;
    least = count;
    best = vector;
  }
  return best;
}
