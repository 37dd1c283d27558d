/** Lists of pairs, a key in the upper and a row or position in the lower 32 bits, sorted by key; equal keys keep their order. */
import { codeAt, codesAt, endOf, firstOf, listAt, NEXT, rowOf, slotCount, startsAt, useColumn } from "./column";

/** A pair as its halves. */
@unmanaged
class Pair {
  row: u32;
  key: u32;
}

const DIGIT_BITS: u32 = 11;
const DIGITS: u32 = 1 << DIGIT_BITS;
const FEW: u32 = 48;

function keyAt(pairs: usize, i: u32): u32 {
  return changetype<Pair>(pairs + <usize>i * offsetof<Pair>()).key;
}

function sortFew(pairs: usize, length: u32): void {
  for (let i: u32 = 1; i < length; i++) {
    const pair = load<u64>(pairs + ((<usize>i) << 3));
    let at = i;
    while (at > 0 && load<u64>(pairs + ((<usize>(at - 1)) << 3)) >>> 32 > pair >>> 32) {
      store<u64>(pairs + ((<usize>at) << 3), load<u64>(pairs + ((<usize>(at - 1)) << 3)));
      at--;
    }
    store<u64>(pairs + ((<usize>at) << 3), pair);
  }
}

/**
 * Sorts by key, keys up to `keyMax`. `scratch` has room for as many pairs, `offsets` for 2048 numbers of 32 bits. Returns
 * where the sorted pairs are: `pairs` or `scratch`.
 */
export function sortPairs(pairs: usize, length: u32, keyMax: u32, scratch: usize, offsets: usize): usize {
  if (length <= FEW) {
    sortFew(pairs, length);
    return pairs;
  }
  let from = pairs;
  let to = scratch;
  for (let shift: u32 = 0; shift < 32 && keyMax >>> shift !== 0; shift += DIGIT_BITS) {
    memory.fill(offsets, 0, DIGITS << 2);
    for (let i: u32 = 0; i < length; i++) {
      const digit = (keyAt(from, i) >>> shift) & (DIGITS - 1);
      const at = offsets + ((<usize>digit) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
    let sum: u32 = 0;
    for (let digit: u32 = 0; digit < DIGITS; digit++) {
      const at = offsets + ((<usize>digit) << 2);
      const many = load<u32>(at);
      store<u32>(at, sum);
      sum += many;
    }
    for (let i: u32 = 0; i < length; i++) {
      const pair = load<u64>(from + ((<usize>i) << 3));
      const digit = (<u32>(pair >>> 32) >>> shift) & (DIGITS - 1);
      const at = offsets + ((<usize>digit) << 2);
      const place = load<u32>(at);
      store<u32>(at, place + 1);
      store<u64>(to + ((<usize>place) << 3), pair);
    }
    const held = from;
    from = to;
    to = held;
  }
  return from;
}

/** Runs of one key: the keys, how long their runs are and the lowest row of each, which comes first. Returns how many. */
export function pairRuns(pairs: usize, length: u32, keys: usize, counts: usize, firstRows: usize): u32 {
  let runs: usize = 0;
  for (let i: u32 = 0; i < length; ) {
    const pair = load<u64>(pairs + ((<usize>i) << 3));
    const key = <u32>(pair >>> 32);
    const from = i;
    do i++;
    while (i < length && keyAt(pairs, i) === key);
    store<u32>(keys + runs, key);
    store<u32>(counts + runs, i - from);
    store<u32>(firstRows + runs, <u32>pair);
    runs += 4;
  }
  return <u32>(runs >>> 2);
}

function collect<T>(rows: u32, bits: usize, pairs: usize): u32 {
  const codes = codesAt;
  const starts = startsAt;
  const list = listAt;
  const slots = slotCount;
  let out = pairs;
  let slot: u32 = 0;
  for (let base: u32 = 0; base < rows; base += 64) {
    let word = load<u64>(bits + (base >>> 3));
    while (word !== 0) {
      const row = base + <u32>ctz(word);
      word &= word - 1;
      let own = row;
      if (list !== 0) {
        while (slot < slots && rowOf(list, slot) < row) slot++;
        if (slot === slots) return <u32>((out - pairs) >>> 3);
        if (rowOf(list, slot) !== row) continue;
        own = slot;
      }
      const end = endOf(starts, own);
      for (let at = firstOf(starts, own); at < end; at++) {
        const code = codeAt<T>(codes, at);
        if (code === 0) continue;
        store<u64>(out, ((<u64>code) << 32) | row);
        out += 8;
      }
    }
  }
  return <u32>((out - pairs) >>> 3);
}

/** How many values the rows of the set have, where every row has a list of codes. */
export function countValues(rows: u32, starts: usize, bits: usize): u32 {
  let total: u32 = 0;
  const words = (rows + 63) >>> 6;
  for (let index: u32 = 0; index < words; index++) {
    let word = load<u64>(bits + ((<usize>index) << 3));
    while (word !== 0) {
      const slot = starts + ((<usize>((index << 6) + <u32>ctz(word))) << 2);
      word &= word - 1;
      total += load<u32>(slot, NEXT) - load<u32>(slot);
    }
  }
  return total;
}

/** Code and row of every value of the rows in the set, rows ascending. Returns how many pairs there are. */
export function collectPairs(
  codes: usize,
  width: u32,
  rows: u32,
  starts: usize,
  list: usize,
  slots: u32,
  bits: usize,
  pairs: usize,
): u32 {
  useColumn(codes, starts, list, slots);
  if (width === 1) return collect<u8>(rows, bits, pairs);
  if (width === 2) return collect<u16>(rows, bits, pairs);
  return collect<u32>(rows, bits, pairs);
}
