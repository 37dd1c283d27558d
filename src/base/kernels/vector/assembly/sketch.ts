/**
 * A first, rough scan of the vectors of a segment: each is sketched by a few bits a dimension, and what the bits say of
 * its similarity with a query is looked up in tables, for thirty-two vectors at a step. It keeps those that look nearest,
 * for others to compare properly.
 *
 * Blocks: thirty-two vectors each; for every place (a group of dimensions) sixteen bytes, the lower half of byte i for
 * vector i, the upper for vector i + 16. Tables: for every place sixteen numbers, of which four together stay below 256
 * and all together below 32768; the more the nearer.
 *
 * Keys: FAR less what the tables say, above a vector's number or slot.
 *
 * Binary quantization with tables in registers: André et al. 2015, "Cache locality is not enough" (Fast Scan).
 */
import { isAllowed } from "./allowed";
import { FOURTH, SECOND, THIRD } from "./lanes";
import { Allowed, BitCodeScan, BLOCK_VECTORS, FAR, PLACES_STEP, PlaceSums } from "./layout";

function lower(bytes: v128): v128 {
  return v128.and(bytes, i8x16.splat(15));
}

function upper(bytes: v128): v128 {
  return v128.and(i16x8.shr_u(bytes, 4), i8x16.splat(15));
}

/** Leaves in the room what the tables say of the vectors of the block at an address. */
export function sumUp(scan: BitCodeScan, at: usize): void {
  const tables = <usize>scan.tables;
  const end = tables + 16 * <usize>scan.places;
  let place = <usize>scan.placeList;
  // Of the bytes of each half, sums of pairs as they stand and of the odd ones: the even ones are what is between.
  let pairs = i16x8.splat(0);
  let odd = i16x8.splat(0);
  let upperPairs = i16x8.splat(0);
  let upperOdd = i16x8.splat(0);
  for (let table = tables; table < end; table += 64, place += 16) {
    let bytes = v128.load(at + <usize>load<u32>(place));
    let values = v128.load(table);
    let low = i8x16.swizzle(values, lower(bytes));
    let high = i8x16.swizzle(values, upper(bytes));
    bytes = v128.load(at + <usize>load<u32>(place, SECOND));
    values = v128.load(table, 16);
    low = i8x16.add(low, i8x16.swizzle(values, lower(bytes)));
    high = i8x16.add(high, i8x16.swizzle(values, upper(bytes)));
    bytes = v128.load(at + <usize>load<u32>(place, THIRD));
    values = v128.load(table, 32);
    low = i8x16.add(low, i8x16.swizzle(values, lower(bytes)));
    high = i8x16.add(high, i8x16.swizzle(values, upper(bytes)));
    bytes = v128.load(at + <usize>load<u32>(place, FOURTH));
    values = v128.load(table, 48);
    low = i8x16.add(low, i8x16.swizzle(values, lower(bytes)));
    high = i8x16.add(high, i8x16.swizzle(values, upper(bytes)));
    pairs = i16x8.add(pairs, low);
    odd = i16x8.add(odd, i16x8.shr_u(low, 8));
    upperPairs = i16x8.add(upperPairs, high);
    upperOdd = i16x8.add(upperOdd, i16x8.shr_u(high, 8));
  }
  const room = <usize>scan.room;
  v128.store(room, i16x8.sub(pairs, i16x8.shl(odd, 8)));
  v128.store(room, odd, 16);
  v128.store(room, i16x8.sub(upperPairs, i16x8.shl(upperOdd, 8)), 32);
  v128.store(room, upperOdd, 48);
}

/** A bit for each of the sums in the room that exceeds `limit`. */
export function above(room: usize, limit: i32): u32 {
  const limits = i16x8.splat(<i16>max<i32>(i16.MIN_VALUE, min<i32>(i16.MAX_VALUE, limit)));
  return half(room, limits) | (half(room + 32, limits) << 16);
}

function half(room: usize, limits: v128): u32 {
  const even = i16x8.gt_s(v128.load(room), limits);
  const odd = i16x8.gt_s(v128.load(room, 16), limits);
  return <u32>i8x16.bitmask(v128.bitselect(odd, even, i16x8.splat(<i16>0xff00)));
}

/** What the room says of vector `i` of a block. */
export function sumAt(room: usize, i: u32): i32 {
  return <i32>load<i16>(room + 32 * <usize>(i >> 4) + 16 * <usize>(i & 1) + 2 * <usize>((i & 15) >> 1));
}

/** Keeps one more key; returns the sum that must be exceeded from now on. */
function keepKey(scan: BitCodeScan, sum: i32, id: u32, limit: i32): i32 {
  const wanted = scan.wanted;
  const keys = <usize>scan.keys;
  let size = scan.size;
  store<u64>(keys + 8 * <usize>size, ((<u64>(FAR - sum)) << 32) | <u64>id);
  size++;
  if (size < 2 * wanted) {
    scan.size = size;
    return limit;
  }
  select(keys, size, wanted);
  scan.size = wanted;
  return FAR - <i32>(load<u64>(keys + 8 * <usize>wanted - 8) >> 32);
}

/** Looks at every `step`-th of the blocks in [from, to), which hold vectors in their order. */
export function scanSketches(scan: BitCodeScan, from: u32, to: u32, step: u32): void {
  const blocks = <usize>scan.blocks;
  const blockBytes = <usize>scan.blockBytes;
  const vectors = scan.vectors;
  const isPlain = scan.rowList === 0 && scan.starts === 0;
  const rows = <usize>scan.rows;
  const room = <usize>scan.room;
  let limit = scan.limit;
  for (let block = from; block < to; block += step) {
    sumUp(scan, blocks + blockBytes * <usize>block);
    let hits = above(room, limit);
    if (hits === 0) continue;
    const first = block * BLOCK_VECTORS;
    if (first + BLOCK_VECTORS > vectors) hits &= ((<u32>1) << (vectors - first)) - 1;
    if (isPlain && rows !== 0) hits &= load<u32>(rows + 4 * <usize>block);
    for (; hits !== 0; hits &= hits - 1) {
      const i = ctz<u32>(hits);
      const sum = sumAt(room, i);
      if (sum <= limit) continue;
      if (
        !isPlain &&
        !isAllowed(changetype<Allowed>(changetype<usize>(scan) + offsetof<BitCodeScan>("rows")), first + i)
      )
        continue;
      limit = keepKey(scan, sum, first + i, limit);
    }
  }
  scan.limit = limit;
}

/**
 * Chooses the places that matter for a target: all but those that have, all together, no more than a share of what there
 * is to know; returns how many. `weights`: room for a float for each dimension of the places, which becomes the spread of
 * the dimension times the target; `squares`: room for a float a place; `placeList`: room for a word a place, see `BitCodeScan`;
 * `sums`: floats, sum of the squares of all weights, sum of the weights of those chosen, most of the weights of one of
 * them.
 */
export function choosePlaces(
  spreads: usize,
  target: usize,
  dimensions: u32,
  atPlace: u32,
  places: u32,
  share: f32,
  weights: usize,
  squares: usize,
  placeList: usize,
  sums: usize,
): u32 {
  let all: f32 = 0;
  let largest: f32 = 0;
  for (let place: u32 = 0; place < places; place++) {
    let square: f32 = 0;
    for (let d = place * atPlace; d < (place + 1) * atPlace; d++) {
      const at = 4 * <usize>d;
      const weight: f32 = d < dimensions ? load<f32>(spreads + at) * load<f32>(target + at) : 0;
      store<f32>(weights + at, weight);
      square += weight * weight;
    }
    all += square;
    largest = max(largest, square);
    store<f32>(squares + 4 * <usize>place, square);
  }
  const end = squares + 4 * <usize>places;
  const needless = countNeedless(squares, end, reinterpret<u32>(largest), all * share);
  const kept = (max(places - needless, PLACES_STEP) + PLACES_STEP - 1) & ~(PLACES_STEP - 1);
  const bound = boundOf(squares, end, reinterpret<u32>(largest), places - kept);
  // Of those that have just as much as the most needless that is left out, the first ones are.
  let equal = places - kept - (bound === 0 ? 0 : countUpTo(squares, end, bound - 1));
  let sum: f32 = 0;
  let most: f32 = 0;
  let count: usize = 0;
  for (let place: u32 = 0; place < places; place++) {
    const bits = load<u32>(squares + 4 * <usize>place);
    if (bits < bound) continue;
    if (bits === bound && equal > 0) {
      equal--;
      continue;
    }
    store<u32>(placeList + 4 * count, 16 * place);
    count++;
    const reach = reachOf(weights + 4 * <usize>(place * atPlace), atPlace);
    sum += reach;
    most = max(most, reach);
  }
  const told = changetype<PlaceSums>(sums);
  told.all = all;
  told.kept = sum;
  told.most = most;
  return kept;
}

/** How many squares, the least first, are together no more than a sum. The bits of squares order as they do. */
function countNeedless(squares: usize, end: usize, largest: u32, sum: f32): u32 {
  let low: u32 = 0;
  let high = largest + 1;
  while (high - low > 1) {
    const middle = low + ((high - low) >> 1);
    if (sumUpTo(squares, end, middle) <= sum) low = middle;
    else high = middle;
  }
  const count = countUpTo(squares, end, low);
  if (high > largest) return count;
  // There may be several that are just as much, and room for some of them.
  return count + <u32>((sum - sumUpTo(squares, end, low)) / reinterpret<f32>(high));
}

/** The least bits that at least `count` squares do not exceed. */
function boundOf(squares: usize, end: usize, largest: u32, count: u32): u32 {
  let low: u32 = 0;
  let high = largest;
  if (count === 0) return 0;
  while (low < high) {
    const middle = low + ((high - low) >> 1);
    if (countUpTo(squares, end, middle) >= count) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sumUpTo(squares: usize, end: usize, bits: u32): f32 {
  const bound = i32x4.splat(bits);
  let sums = f32x4.splat(0);
  for (let at = squares; at < end; at += 16) {
    const four = v128.load(at);
    sums = f32x4.add(sums, v128.and(four, i32x4.le_s(four, bound)));
  }
  return (
    f32x4.extract_lane(sums, 0) +
    f32x4.extract_lane(sums, 1) +
    (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3))
  );
}

function countUpTo(squares: usize, end: usize, bits: u32): u32 {
  const bound = i32x4.splat(bits);
  let counts = i32x4.splat(0);
  for (let at = squares; at < end; at += 16) counts = i32x4.sub(counts, i32x4.le_s(v128.load(at), bound));
  return (
    i32x4.extract_lane(counts, 0) +
    i32x4.extract_lane(counts, 1) +
    i32x4.extract_lane(counts, 2) +
    i32x4.extract_lane(counts, 3)
  );
}

function reachOf(weights: usize, atPlace: u32): f32 {
  let reach: f32 = 0;
  for (let i: usize = 0; i < <usize>atPlace; i++) reach += abs(load<f32>(weights + 4 * i));
  return reach;
}

/**
 * Writes the tables of the places in a list, see `BitCodeScan`. What the bits at a place say is a sum over its dimensions: the
 * weight of each, times the value that its bits stand for, times `factor`, and as much more as makes the least of the
 * sums 0. `weights`: `atPlace` floats a place, two for values of two bits or four for values of one; `values`: four
 * floats, of two bits or twice those of one, of which the last is the highest and the first as far below 0.
 */
export function writeTables(
  placeList: usize,
  places: u32,
  weights: usize,
  atPlace: u32,
  values: usize,
  factor: f32,
  tables: usize,
): void {
  const all = v128.load(values);
  const most = load<f32>(values, FOURTH);
  // Of the bits that come first, values of one and of the next.
  const slow = v128.shuffle<f32>(all, all, 0, 0, 1, 1);
  for (let n: u32 = 0; n < places; n++) {
    const own = weights + (<usize>load<u32>(placeList + 4 * <usize>n) >> 2) * <usize>atPlace;
    const least = f32x4.splat(reachOf(own, atPlace) * most * factor + 0.5);
    const first = f32x4.add(least, f32x4.mul(all, f32x4.splat(load<f32>(own) * factor)));
    const second = f32x4.splat(load<f32>(own, SECOND) * factor);
    let rest: v128;
    let begun: v128;
    if (atPlace === 2) {
      begun = first;
      rest = f32x4.mul(all, second);
    } else {
      begun = f32x4.add(first, f32x4.mul(slow, second));
      const third = f32x4.splat(load<f32>(own, THIRD) * factor);
      const fourth = f32x4.splat(load<f32>(own, FOURTH) * factor);
      rest = f32x4.add(f32x4.mul(all, third), f32x4.mul(slow, fourth));
    }
    const low = i16x8.narrow_i32x4_s(
      whole(f32x4.add(begun, v128.shuffle<f32>(rest, rest, 0, 0, 0, 0))),
      whole(f32x4.add(begun, v128.shuffle<f32>(rest, rest, 1, 1, 1, 1))),
    );
    const high = i16x8.narrow_i32x4_s(
      whole(f32x4.add(begun, v128.shuffle<f32>(rest, rest, 2, 2, 2, 2))),
      whole(f32x4.add(begun, v128.shuffle<f32>(rest, rest, 3, 3, 3, 3))),
    );
    v128.store(tables + 16 * <usize>n, i8x16.narrow_i16x8_u(low, high));
  }
}

function whole(numbers: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(numbers);
}

/** Moves the `wanted` lowest of the keys to the front, the highest of them to the last place there. */
export function select(keys: usize, size: u32, wanted: u32): void {
  const place = <i32>wanted - 1;
  let left: i32 = 0;
  let right = <i32>size - 1;
  while (left < right) {
    const pivot = load<u64>(keys + 8 * <usize>place);
    let i = left;
    let j = right;
    do {
      while (load<u64>(keys + 8 * <usize>i) < pivot) i++;
      while (load<u64>(keys + 8 * <usize>j) > pivot) j--;
      if (i <= j) {
        const key = load<u64>(keys + 8 * <usize>i);
        store<u64>(keys + 8 * <usize>i, load<u64>(keys + 8 * <usize>j));
        store<u64>(keys + 8 * <usize>j, key);
        i++;
        j--;
      }
    } while (i <= j);
    if (j < place) left = i;
    if (place < i) right = j;
  }
}
