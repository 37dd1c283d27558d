/** Sets of rows as bits, sixteen bytes at a time, and lists of rows. */

/** Rows of a list looked through one after the other, or rather four by four. */
const SCANNED: u32 = 16;

export function bitsAnd(out: usize, a: usize, b: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(out + i, v128.and(v128.load(a + i), v128.load(b + i)));
}

export function bitsOr(out: usize, a: usize, b: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(out + i, v128.or(v128.load(a + i), v128.load(b + i)));
}

export function bitsAndNot(out: usize, a: usize, b: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(out + i, v128.andnot(v128.load(a + i), v128.load(b + i)));
}

export function bitsOrAnd(out: usize, a: usize, b: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    v128.store(out + i, v128.or(v128.load(out + i), v128.and(v128.load(a + i), v128.load(b + i))));
  }
}

export function bitsCount(a: usize, bytes: usize): u32 {
  let sums = i32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) sums = i32x4.add(sums, bitsOfLanes(v128.load(a + i)));
  return sumOfLanes(sums);
}

export function bitsCountAnd(a: usize, b: usize, bytes: usize): u32 {
  let sums = i32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) {
    sums = i32x4.add(sums, bitsOfLanes(v128.and(v128.load(a + i), v128.load(b + i))));
  }
  return sumOfLanes(sums);
}

function bitsOfLanes(lanes: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(lanes)));
}

function sumOfLanes(sums: v128): u32 {
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

export function bitsAny(a: usize, bytes: usize): u32 {
  for (let i: usize = 0; i < bytes; i += 16) if (v128.any_true(v128.load(a + i))) return 1;
  return 0;
}

export function bitsAnyAnd(a: usize, b: usize, bytes: usize): u32 {
  for (let i: usize = 0; i < bytes; i += 16) {
    if (v128.any_true(v128.and(v128.load(a + i), v128.load(b + i)))) return 1;
  }
  return 0;
}

export function bitsList(a: usize, bytes: usize, list: usize): u32 {
  let out = list;
  for (let i: usize = 0; i < bytes; i += 8) {
    let word = load<u64>(a + i);
    const first = (<u32>i) << 3;
    while (word !== 0) {
      store<u32>(out, first + <u32>ctz(word));
      out += 4;
      word &= word - 1;
    }
  }
  return <u32>((out - list) >> 2);
}

/** ranks[i] = number of rows in the set below row i * 64; returns the number of all. */
export function bitsRanks(a: usize, bytes: usize, ranks: usize): u32 {
  let count: u32 = 0;
  for (let i: usize = 0; i < bytes; i += 8) {
    store<u32>(ranks + (i >> 1), count);
    count += <u32>popcnt(load<u64>(a + i));
  }
  return count;
}

export function listBits(list: usize, n: u32, bits: usize): void {
  for (let i: u32 = 0; i < n; i++) setBit(bits, load<u32>(list + ((<usize>i) << 2)));
}

export function fill(at: usize, bytes: usize, byte: u32): void {
  memory.fill(at, <u8>byte, bytes);
}

export function setBit(bits: usize, row: u32): void {
  const at = bits + (row >> 3);
  store<u8>(at, <u8>(<u32>load<u8>(at) | ((<u32>1) << (row & 7))));
}

/** 1 or 0. */
export function bitAt(bits: usize, row: u32): u32 {
  return (<u32>load<u8>(bits + (row >> 3)) >> (row & 7)) & 1;
}

/** Number of bits set in `[from, to)`. */
export function bitsBetween(bits: usize, from: u32, to: u32): u32 {
  let count: u32 = 0;
  let at = from;
  for (; to - at > 56; at += 56) {
    count += <u32>popcnt((load<u64>(bits + (at >> 3)) >> (<u64>at & 7)) & (((<u64>1) << 56) - 1));
  }
  const rest = (load<u64>(bits + (at >> 3)) >> (<u64>at & 7)) & (((<u64>1) << (<u64>(to - at))) - 1);
  return count + <u32>popcnt(rest);
}

/**
 * First place in `[from, n)` of a list whose row is at least `row`; `n` when there is none. Looks near `from` first.
 */
export function firstNotBelow(list: usize, from: u32, n: u32, row: u32): u32 {
  const wanted = i32x4.splat(row);
  let low = from;
  let step: u32 = SCANNED;
  // All rows before `low` are too small; so is the one at `low` + `step` - 1 as long as it goes on.
  while (low + step <= n && load<u32>(list + ((<usize>(low + step - 1)) << 2)) < row) {
    low += step;
    step <<= 1;
  }
  let length = min(step, n - low);
  while (length > SCANNED) {
    const half = length >> 1;
    low = select(low + half, low, load<u32>(list + ((<usize>(low + half - 1)) << 2)) < row);
    length -= half;
  }
  const end = low + length;
  for (; low + 4 <= end; low += 4) {
    const below = i32x4.bitmask(i32x4.lt_u(v128.load(list + ((<usize>low) << 2)), wanted));
    if (below !== 15) return low + popcnt(below);
  }
  while (low < end && load<u32>(list + ((<usize>low) << 2)) < row) low++;
  return low;
}

export function rowAt(list: usize, p: u32): u32 {
  return load<u32>(list + ((<usize>p) << 2));
}

/** Whether two sets have the same rows, of which there are so many; what is behind them does not count. */
export function sameBits(a: usize, b: usize, rows: u32): bool {
  const bytes = (<usize>(rows >> 7)) << 4;
  let at: usize = 0;
  for (; at < bytes; at += 16) if (v128.any_true(v128.xor(v128.load(a + at), v128.load(b + at)))) return false;
  for (let left = rows & 127; left > 0; at += 8) {
    const count = min<u32>(left, 64);
    const differ = load<u64>(a + at) ^ load<u64>(b + at);
    if (differ << (64 - <u64>count) !== 0) return false;
    left -= count;
  }
  return true;
}
