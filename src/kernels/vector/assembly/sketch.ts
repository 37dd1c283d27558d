/**
 * A first, rough look at the vectors of a segment: each is sketched by a few bits a dimension, and what the bits say of
 * its likeness to a query is looked up in tables, for thirty-two vectors at a step. It keeps those that look nearest,
 * for others to compare properly.
 *
 * Blocks: thirty-two vectors each; for every place (a group of dimensions) sixteen bytes, the lower half of byte i for
 * vector i, the upper for vector i + 16. Tables: for every place sixteen numbers, of which four together stay below 256
 * and all together below 32768; the more the nearer.
 *
 * Keys: FAR less what the tables say, above a vector's number or slot. `look`, in words:
 *   0 blocks   1 bytes of a block   2 tables   3 vectors   4 .. 7 who may be found, see allowed.ts
 *   8 vectors to keep   9 room for twice as many keys   10 keys there   11 sum that must be exceeded   12 room for 64 bytes
 *   13 how many places count, a multiple of four   14 where each of them lies in a block, one word each
 * and for vectors in cells, see cell.ts:
 *   15 slot of each place in a block   16 heap of cells to look at   17 its size   18 first block of each cell
 *   19 vectors of each cell   20 float: what a similarity of 1 adds to the sums   21 vectors that were looked at and may be
 *   found   22 how many of them are enough   23 sum of a vector like the centre of its cell   24 how many of them there
 *   must be   25 when there are so many, the sum that centres of cells may be short of what must be exceeded   26 1 when many may be found:
 *   then those that were looked at are only estimated
 * Blocks of cells end with 64 bytes: how much is to be made of the sum of each vector, in 32768ths of a half, as 16-bit
 * numbers; even ones of the first sixteen, odd ones, and those of the others.
 */
import { allowedOf, isAllowed } from "./allowed";
import { add, distanceOf, keyOf, take } from "./heap";

const BLOCK: u32 = 32;
/** Of so many of a block it is asked whether they may be found, where many may. */
const SAMPLE: u32 = 8;
/** Places that count come in fours. */
const PLACES_STEP: u32 = 4;
/** Above every sum. */
const FAR: i32 = 1 << 24;

function lower(bytes: v128): v128 {
  return v128.and(bytes, i8x16.splat(15));
}

function upper(bytes: v128): v128 {
  return v128.and(i16x8.shr_u(bytes, 4), i8x16.splat(15));
}

/** Leaves in the room what the tables say of the vectors of the block at an address. */
function sumUp(look: usize, at: usize): void {
  const tables = <usize>load<u32>(look, 8);
  const end = tables + 16 * <usize>load<u32>(look, 52);
  let place = <usize>load<u32>(look, 56);
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
    bytes = v128.load(at + <usize>load<u32>(place, 4));
    values = v128.load(table, 16);
    low = i8x16.add(low, i8x16.swizzle(values, lower(bytes)));
    high = i8x16.add(high, i8x16.swizzle(values, upper(bytes)));
    bytes = v128.load(at + <usize>load<u32>(place, 8));
    values = v128.load(table, 32);
    low = i8x16.add(low, i8x16.swizzle(values, lower(bytes)));
    high = i8x16.add(high, i8x16.swizzle(values, upper(bytes)));
    bytes = v128.load(at + <usize>load<u32>(place, 12));
    values = v128.load(table, 48);
    low = i8x16.add(low, i8x16.swizzle(values, lower(bytes)));
    high = i8x16.add(high, i8x16.swizzle(values, upper(bytes)));
    pairs = i16x8.add(pairs, low);
    odd = i16x8.add(odd, i16x8.shr_u(low, 8));
    upperPairs = i16x8.add(upperPairs, high);
    upperOdd = i16x8.add(upperOdd, i16x8.shr_u(high, 8));
  }
  const room = <usize>load<u32>(look, 48);
  v128.store(room, i16x8.sub(pairs, i16x8.shl(odd, 8)));
  v128.store(room, odd, 16);
  v128.store(room, i16x8.sub(upperPairs, i16x8.shl(upperOdd, 8)), 32);
  v128.store(room, upperOdd, 48);
}

/** Makes of the sums what is to be made of them, see the end of a block of cells. */
function weigh(room: usize, weights: usize, middle: i32): void {
  const middles = i16x8.splat(<i16>middle);
  for (let i: usize = 0; i < 64; i += 16) {
    v128.store(room + i, i16x8.q15mulr_sat_s(i16x8.sub(v128.load(room + i), middles), v128.load(weights + i)));
  }
}

/** A bit for each of the sums in the room that exceeds `limit`. */
function above(room: usize, limit: i32): u32 {
  const limits = i16x8.splat(<i16>max<i32>(i16.MIN_VALUE, min<i32>(i16.MAX_VALUE, limit)));
  return half(room, limits) | (half(room + 32, limits) << 16);
}

function half(room: usize, limits: v128): u32 {
  const even = i16x8.gt_s(v128.load(room), limits);
  const odd = i16x8.gt_s(v128.load(room, 16), limits);
  return <u32>i8x16.bitmask(v128.bitselect(odd, even, i16x8.splat(<i16>0xff00)));
}

/** What the room says of vector `i` of a block. */
function sumAt(room: usize, i: u32): i32 {
  return <i32>load<i16>(room + 32 * <usize>(i >> 4) + 16 * <usize>(i & 1) + 2 * <usize>((i & 15) >> 1));
}

/** Keeps one more key; returns the sum that must be exceeded from now on. */
function keepKey(look: usize, sum: i32, id: u32, limit: i32): i32 {
  const wanted = load<u32>(look, 32);
  const keys = <usize>load<u32>(look, 36);
  let size = load<u32>(look, 40);
  store<u64>(keys + 8 * <usize>size, ((<u64>(FAR - sum)) << 32) | <u64>id);
  size++;
  if (size < 2 * wanted) {
    store<u32>(look, size, 40);
    return limit;
  }
  select(keys, size, wanted);
  store<u32>(look, wanted, 40);
  return FAR - <i32>(load<u64>(keys + 8 * <usize>wanted - 8) >> 32);
}

/** Looks at every `step`-th of the blocks in [from, to), which hold vectors in their order. */
export function scanSketches(look: usize, from: u32, to: u32, step: u32): void {
  const blocks = <usize>load<u32>(look);
  const blockBytes = <usize>load<u32>(look, 4);
  const vectors = load<u32>(look, 12);
  const isPlain = load<u32>(look, 20) === 0 && load<u32>(look, 24) === 0;
  const rows = <usize>load<u32>(look, 16);
  const room = <usize>load<u32>(look, 48);
  let limit = load<i32>(look, 44);
  for (let block = from; block < to; block += step) {
    sumUp(look, blocks + blockBytes * <usize>block);
    let hits = above(room, limit);
    if (hits === 0) continue;
    const first = block * BLOCK;
    if (first + BLOCK > vectors) hits &= ((<u32>1) << (vectors - first)) - 1;
    if (isPlain && rows !== 0) hits &= load<u32>(rows + 4 * <usize>block);
    for (; hits !== 0; hits &= hits - 1) {
      const i = ctz<u32>(hits);
      const sum = sumAt(room, i);
      if (sum <= limit) continue;
      if (!isPlain && !isAllowed(look + 16, first + i)) continue;
      limit = keepKey(look, sum, first + i, limit);
    }
  }
  store<i32>(look, limit, 44);
}

/**
 * Looks at the nearest cells until `blocks` blocks were looked at or enough vectors that may be found; returns 0 when
 * enough were, or when no more cells are left that are near enough.
 */
export function scanCells(look: usize, blocks: u32): u32 {
  const blockBytes = <usize>load<u32>(look, 4);
  const rows = <usize>load<u32>(look, 16);
  const rowList = <usize>load<u32>(look, 20);
  const room = <usize>load<u32>(look, 48);
  const heap = <usize>load<u32>(look, 64);
  const firstBlocks = <usize>load<u32>(look, 72);
  const sizes = <usize>load<u32>(look, 76);
  const factor = load<f32>(look, 80);
  const enough = load<u32>(look, 88);
  const middle = load<i32>(look, 92);
  const least = load<u32>(look, 96);
  const reach = load<i32>(look, 100);
  const isFew = rows !== 0 && load<u32>(look, 104) === 0;
  let cells = load<u32>(look, 68);
  let limit = load<i32>(look, 44);
  let seen = load<u32>(look, 84);
  let done: u32 = 0;
  while (cells > 0 && seen < enough && done < blocks) {
    cells--;
    const key = take(heap, cells);
    // The distance of a cell is its similarity taken from 2.
    const offset = <i32>((<f32>2 - distanceOf(key)) * factor);
    if (seen >= least && offset + reach < limit) {
      cells = 0;
      break;
    }
    let block = load<u32>(firstBlocks + 4 * <usize>(<u32>key));
    let left = load<u32>(sizes + 4 * <usize>(<u32>key));
    while (left > 0) {
      const slots = <usize>load<u32>(look, 60) + 4 * <usize>(block * BLOCK);
      const count = min(left, BLOCK);
      let allowed: u32 = u32.MAX_VALUE >> (BLOCK - count);
      left -= count;
      if (isFew) {
        allowed &= allowedOf(slots, rows, rowList, count);
        seen += popcnt<u32>(allowed);
      } else if (rows === 0) seen += count;
      else seen += popcnt<u32>(allowedOf(slots, rows, rowList, min(count, SAMPLE))) * max<u32>(1, count / SAMPLE);
      if (allowed !== 0) {
        done++;
        const at = <usize>load<u32>(look) + blockBytes * <usize>block;
        sumUp(look, at);
        weigh(room, at + blockBytes - 64, middle);
        let hits = above(room, limit - offset) & allowed;
        for (; hits !== 0; hits &= hits - 1) {
          const i = ctz<u32>(hits);
          const sum = sumAt(room, i) + offset;
          if (sum <= limit) continue;
          const slot = load<u32>(slots + 4 * <usize>i);
          if (isFew || rows === 0 || allowedOf(slots + 4 * <usize>i, rows, rowList, 1) !== 0) {
            limit = keepKey(look, sum, slot, limit);
          }
        }
      }
      block++;
    }
  }
  store<u32>(look, cells, 68);
  store<i32>(look, limit, 44);
  store<u32>(look, seen, 84);
  return cells > 0 && seen < enough ? 1 : 0;
}

/**
 * Chooses the places that matter for a target: all but those that have, all together, no more than a share of what there
 * is to know; returns how many. `weights`: room for a float for each dimension of the places, which becomes the spread of
 * the dimension times the target; `heap`: room for a key a place; `placeList`: room for a word a place, see `look`; `sums`:
 * floats, sum of the squares of all weights, sum of the weights of those chosen, most of the weights of one of them.
 */
export function choosePlaces(
  spreads: usize,
  target: usize,
  dimensions: u32,
  atPlace: u32,
  places: u32,
  share: f32,
  weights: usize,
  heap: usize,
  placeList: usize,
  sums: usize,
): u32 {
  let all: f32 = 0;
  for (let place: u32 = 0; place < places; place++) {
    let square: f32 = 0;
    for (let d = place * atPlace; d < (place + 1) * atPlace; d++) {
      const at = 4 * <usize>d;
      const weight: f32 = d < dimensions ? load<f32>(spreads + at) * load<f32>(target + at) : 0;
      store<f32>(weights + at, weight);
      square += weight * weight;
    }
    all += square;
    add(heap, place, keyOf(square, place));
    store<u32>(placeList + 4 * <usize>place, 0);
  }
  let left = all * share;
  let kept = places;
  // What is taken goes behind the rest, so that the last ones can be had back.
  for (; kept > PLACES_STEP && distanceOf(load<u64>(heap)) <= left; kept--) {
    const key = take(heap, kept - 1);
    left -= distanceOf(key);
    store<u64>(heap + 8 * <usize>kept - 8, key);
  }
  kept = (kept + PLACES_STEP - 1) & ~(PLACES_STEP - 1);
  for (let n: usize = 0; n < <usize>kept; n++) store<u32>(placeList + 4 * <usize>load<u32>(heap + 8 * n), 1);
  let sum: f32 = 0;
  let most: f32 = 0;
  let count: usize = 0;
  for (let place: u32 = 0; place < places; place++) {
    if (load<u32>(placeList + 4 * <usize>place) === 0) continue;
    store<u32>(placeList + 4 * count, 16 * place);
    count++;
    const reach = reachOf(weights + 4 * <usize>(place * atPlace), atPlace);
    sum += reach;
    most = max(most, reach);
  }
  store<f32>(sums, all);
  store<f32>(sums, sum, 4);
  store<f32>(sums, most, 8);
  return kept;
}

function reachOf(weights: usize, atPlace: u32): f32 {
  let reach: f32 = 0;
  for (let i: usize = 0; i < <usize>atPlace; i++) reach += abs(load<f32>(weights + 4 * i));
  return reach;
}

/**
 * Writes the tables of the places in a list, see `look`. What the bits at a place say is a sum over its dimensions: the
 * weight of each, times the value that its bits stand for, times `factor`, and as much more as makes the least of the
 * sums 0. `weights`: `atPlace` floats a place; `values`: `count` floats, of which the last is the highest and the first
 * as far below 0; `room`: 64 bytes.
 */
export function writeTables(
  placeList: usize,
  places: u32,
  weights: usize,
  atPlace: u32,
  values: usize,
  count: u32,
  factor: f32,
  tables: usize,
  room: usize,
): void {
  const most = load<f32>(values + 4 * <usize>count - 4);
  for (let n: u32 = 0; n < places; n++) {
    const own = weights + (<usize>load<u32>(placeList + 4 * <usize>n) >> 2) * <usize>atPlace;
    // The sums for the bits of the first dimensions, then each of them with those of the next.
    store<f32>(room, reachOf(own, atPlace) * most * factor + 0.5);
    let sums: usize = 1;
    for (let i: usize = 0; i < <usize>atPlace; i++) {
      const weight = load<f32>(own + 4 * i) * factor;
      for (let value = <usize>count; value-- > 0; ) {
        const more = weight * load<f32>(values + 4 * value);
        for (let k: usize = 0; k < sums; k++) store<f32>(room + 4 * (value * sums + k), load<f32>(room + 4 * k) + more);
      }
      sums *= <usize>count;
    }
    for (let i: usize = 0; i < 16; i++) store<u8>(tables + 16 * <usize>n + i, <u8>max<f32>(0, load<f32>(room + 4 * i)));
  }
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
