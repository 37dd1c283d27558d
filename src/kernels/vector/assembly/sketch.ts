/**
 * A first, rough look at all vectors of a segment: each is sketched by a few bits a dimension, and what the bits say of
 * its likeness to a query is looked up in tables, for thirty-two vectors at a step. It keeps those that look nearest,
 * for others to compare properly.
 *
 * Blocks: thirty-two vectors each; for every place (a group of dimensions) sixteen bytes, the lower half of byte i for
 * vector i, the upper for vector i + 16. Tables: for every place sixteen numbers, of which four together stay below 256
 * and all together below 32768; the more the nearer.
 */
import { isAllowed } from "./graph";

const BLOCK: u32 = 32;

function lower(bytes: v128): v128 {
  return v128.and(bytes, i8x16.splat(15));
}

function upper(bytes: v128): v128 {
  return v128.and(i16x8.shr_u(bytes, 4), i8x16.splat(15));
}

/**
 * Looks at every `step`-th of the blocks in [from, to). Keys: 32767 less the sum of what the tables say, above the number of the vector.
 * `look`, in words:
 *   0 blocks   1 bytes of a block   2 tables   3 vectors   4 .. 7 who may be found, as 7 .. 10 of a walk
 *   8 vectors to keep   9 room for twice as many keys   10 keys there   11 sum that must be exceeded   12 room for 64 bytes
 *   13 how many places count, a multiple of four   14 where each of them lies in a block, one word each
 */
export function scanSketches(look: usize, from: u32, to: u32, step: u32): void {
  const blockBytes = <usize>load<u32>(look, 4);
  const tables = <usize>load<u32>(look, 8);
  const end = tables + 16 * <usize>load<u32>(look, 52);
  const vectors = load<u32>(look, 12);
  const isPlain = load<u32>(look, 20) === 0 && load<u32>(look, 24) === 0;
  const rows = <usize>load<u32>(look, 16);
  const wanted = load<u32>(look, 32);
  const keys = <usize>load<u32>(look, 36);
  const room = <usize>load<u32>(look, 48);
  let size = load<u32>(look, 40);
  let limit = load<i32>(look, 44);
  for (let block = from; block < to; block += step) {
    const at = <usize>load<u32>(look) + blockBytes * <usize>block;
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
    const even = i16x8.sub(pairs, i16x8.shl(odd, 8));
    const upperEven = i16x8.sub(upperPairs, i16x8.shl(upperOdd, 8));
    let hits = nearOf(even, odd, limit) | (nearOf(upperEven, upperOdd, limit) << 16);
    if (hits === 0) continue;
    const first = block * BLOCK;
    if (first + BLOCK > vectors) hits &= ((<u32>1) << (vectors - first)) - 1;
    if (isPlain && rows !== 0) hits &= load<u32>(rows + 4 * <usize>block);
    if (hits === 0) continue;
    v128.store(room, even);
    v128.store(room, odd, 16);
    v128.store(room, upperEven, 32);
    v128.store(room, upperOdd, 48);
    for (; hits !== 0; hits &= hits - 1) {
      const i = ctz<u32>(hits);
      const sum = <i32>load<i16>(room + 32 * <usize>(i >> 4) + 16 * <usize>(i & 1) + 2 * <usize>((i & 15) >> 1));
      if (sum <= limit) continue;
      if (!isPlain && !isAllowed(look + 16, first + i)) continue;
      store<u64>(keys + 8 * <usize>size, ((<u64>(32767 - sum)) << 32) | <u64>(first + i));
      size++;
      if (size < 2 * wanted) continue;
      select(keys, size, wanted);
      size = wanted;
      limit = 32767 - <i32>(load<u64>(keys + 8 * <usize>wanted - 8) >> 32);
    }
  }
  store<u32>(look, size, 40);
  store<i32>(look, limit, 44);
}

/** A bit for each of sixteen sums above the limit. */
function nearOf(even: v128, odd: v128, limit: i32): u32 {
  const limits = i16x8.splat(<i16>limit);
  const near = v128.bitselect(i16x8.gt_s(odd, limits), i16x8.gt_s(even, limits), i16x8.splat(<i16>0xff00));
  return <u32>i8x16.bitmask(near);
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
