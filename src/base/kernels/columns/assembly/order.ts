/** Keys by which rows are sorted, and the positions with the smallest of them. */
import { codeAt, endOf, firstOf, rowOf } from "./column";

const WITHOUT: u32 = 0xffffffff;
const BUCKETS: u32 = 2048;

/** String of a spelling: the last one whose first spelling is not after it. */
function stringOf(spellingStarts: usize, strings: u32, spelling: u32): u32 {
  let low: u32 = 0;
  let high = strings - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (load<u32>(spellingStarts + ((<usize>middle) << 2)) <= spelling) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The common form: one number a row. Code 0, without a value, gives `WITHOUT` by itself when ascending. */
function fillNumbers<T>(codes: usize, numbers: u32, descending: u32, rows: usize, length: u32, keys: usize): void {
  const end = rows + ((<usize>length) << 2);
  const shift = keys - rows;
  if (descending === 0) {
    for (let at = rows; at < end; at += 4) {
      store<u32>(at + shift, <u32>load<T>(codes + <usize>load<u32>(at) * sizeof<T>()) - 1);
    }
    return;
  }
  for (let at = rows; at < end; at += 4) {
    const code = <u32>load<T>(codes + <usize>load<u32>(at) * sizeof<T>());
    store<u32>(at + shift, code === 0 ? WITHOUT : numbers - code);
  }
}

function fill<T>(
  codes: usize,
  starts: usize,
  list: usize,
  slots: u32,
  numbers: u32,
  strings: u32,
  spellingStarts: usize,
  descending: u32,
  rows: usize,
  length: u32,
  keys: usize,
): void {
  if (list === 0 && starts === 0 && strings === 0) {
    fillNumbers<T>(codes, numbers, descending, rows, length, keys);
    return;
  }
  let slot: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const row = load<u32>(rows + ((<usize>i) << 2));
    const out = keys + ((<usize>i) << 2);
    let own = row;
    if (list !== 0) {
      while (slot < slots && rowOf(list, slot) < row) slot++;
      if (slot === slots || rowOf(list, slot) !== row) {
        store<u32>(out, WITHOUT);
        continue;
      }
      own = slot;
    }
    let at = firstOf(starts, own);
    if (starts !== 0) {
      const end = endOf(starts, own);
      if (at === end) {
        store<u32>(out, WITHOUT);
        continue;
      }
      // The largest number, else the largest string.
      if (descending) {
        const hasNumber = codeAt<T>(codes, at) <= numbers;
        at = end - 1;
        if (hasNumber) while (codeAt<T>(codes, at) > numbers) at--;
      }
    }
    const code = codeAt<T>(codes, at);
    if (code === 0) store<u32>(out, WITHOUT);
    else if (code <= numbers) store<u32>(out, descending ? numbers - code : code - 1);
    else {
      let ordinal = code - numbers - 1;
      if (spellingStarts !== 0) ordinal = stringOf(spellingStarts, strings, ordinal);
      store<u32>(out, numbers + (descending ? strings - 1 - ordinal : ordinal));
    }
  }
}

/**
 * The key of each row of a list: the ordinal of the value it is sorted by, numbers before strings, both from the last on
 * when `descending`; the greatest number for rows without a value. `spellingStarts` is 0 where every string has one spelling.
 */
export function sortKeys(
  codes: usize,
  width: u32,
  starts: usize,
  list: usize,
  slots: u32,
  numbers: u32,
  strings: u32,
  spellingStarts: usize,
  descending: u32,
  rows: usize,
  length: u32,
  keys: usize,
): void {
  if (width === 1) {
    fill<u8>(codes, starts, list, slots, numbers, strings, spellingStarts, descending, rows, length, keys);
  } else if (width === 2) {
    fill<u16>(codes, starts, list, slots, numbers, strings, spellingStarts, descending, rows, length, keys);
  } else fill<u32>(codes, starts, list, slots, numbers, strings, spellingStarts, descending, rows, length, keys);
}

/** Buckets of keys, all keys of `low` and up in equal steps; those from `high` on are not counted. */
function countBuckets(keys: usize, length: u32, low: u32, high: u32, shift: u32, buckets: usize): void {
  memory.fill(buckets, 0, BUCKETS << 2);
  const width = high - low;
  for (let i: u32 = 0; i < length; i++) {
    const above = load<u32>(keys + ((<usize>i) << 2)) - low;
    if (above >= width) continue;
    const at = buckets + ((<usize>(above >>> shift)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

/**
 * A bound below which (itself not included) lie `wanted` of the keys from `low` on, and not many more; at most `end`,
 * which is above all keys but `WITHOUT`. `buckets` has room for 2048 numbers of 32 bits.
 */
export function keyBound(keys: usize, length: u32, low: u32, end: u32, wanted: u32, buckets: usize): u32 {
  let from = low;
  let to = end;
  let missing = wanted;
  while (to - from > 1) {
    const span = to - from;
    const bits = 32 - clz(span - 1);
    const shift = bits > 11 ? bits - 11 : 0;
    countBuckets(keys, length, from, to, shift, buckets);
    let bucket: u32 = 0;
    const last = (span - 1) >>> shift;
    while (bucket <= last && load<u32>(buckets + ((<usize>bucket) << 2)) < missing) {
      missing -= load<u32>(buckets + ((<usize>bucket) << 2));
      bucket++;
    }
    if (bucket > last) return end;
    const first = from + (bucket << shift);
    to = min(to, first + (1 << shift));
    from = first;
    // A bucket of many equal or close keys is looked into; one of few is taken whole.
    if (load<u32>(buckets + ((<usize>bucket) << 2)) <= (missing << 2) + 256) return to;
  }
  return to;
}

/** Key and position of the keys from `low` to below `high`, positions ascending. Returns how many there are. */
export function pickKeys(keys: usize, length: u32, low: u32, high: u32, pairs: usize, capacity: u32): u32 {
  const width = high - low;
  let found: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const key = load<u32>(keys + ((<usize>i) << 2));
    if (key - low >= width) continue;
    if (found < capacity) store<u64>(pairs + ((<usize>found) << 3), ((<u64>key) << 32) | i);
    found++;
  }
  return found;
}
