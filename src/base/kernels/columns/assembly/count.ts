/** How many rows of a set have each code, and the lowest of them. */
import { codeAt, codesAt, endOf, firstOf, listAt, NEXT, rowOf, slotCount, startsAt, useColumn } from "./column";

let countsAt: usize = 0;
let firstRowsAt: usize = 0;

function note(code: u32, row: u32, times: u32, counts: usize, firstRows: usize): void {
  const at = (<usize>code) << 2;
  const count = load<u32>(counts + at);
  store<u32>(counts + at, count + times);
  if (count === 0) store<u32>(firstRows + at, row);
}

/** Whether all rows of `word`, which are those from `first` to `last`, have this code. */
function allHave<T>(code: u32, word: u64, first: u32, last: u32, own: usize): bool {
  // Most words of a column of many values are told apart by these two.
  if (codeAt<T>(own, last) !== code) return false;
  let differing: u32 = 0;
  if (<u32>popcnt(word) === last - first + 1) {
    for (let i = first; i < last; i++) differing |= codeAt<T>(own, i) ^ code;
  } else {
    for (let left = word & (word - 1); left !== 0; left &= left - 1) {
      differing |= codeAt<T>(own, <u32>ctz(left)) ^ code;
    }
  }
  return differing === 0;
}

/**
 * Rows that a condition on the same field has chosen have one code: they are counted together, where each alone would wait for
 * the counter that the one before it has written.
 */
function dense<T>(rows: u32, bits: usize): void {
  const counts = countsAt;
  const firstRows = firstRowsAt;
  for (let base: u32 = 0; base < rows; base += 64) {
    let word = load<u64>(bits + (base >>> 3));
    if (word === 0) continue;
    const own = codesAt + <usize>base * sizeof<T>();
    const first = <u32>ctz(word);
    const code = codeAt<T>(own, first);
    if (allHave<T>(code, word, first, 63 - <u32>clz(word), own)) {
      note(code, base + first, <u32>popcnt(word), counts, firstRows);
      continue;
    }
    while (word !== 0) {
      const bit = <u32>ctz(word);
      word &= word - 1;
      note(codeAt<T>(own, bit), base + bit, 1, counts, firstRows);
    }
  }
}

function several<T>(rows: u32, bits: usize): void {
  const codes = codesAt;
  const starts = startsAt;
  const counts = countsAt;
  const firstRows = firstRowsAt;
  for (let base: u32 = 0; base < rows; base += 64) {
    let word = load<u64>(bits + (base >>> 3));
    while (word !== 0) {
      const row = base + <u32>ctz(word);
      word &= word - 1;
      const slot = starts + ((<usize>row) << 2);
      const end = load<u32>(slot, NEXT);
      for (let at = load<u32>(slot); at < end; at++) note(codeAt<T>(codes, at), row, 1, counts, firstRows);
    }
  }
}

function sparse<T>(bits: usize): void {
  const codes = codesAt;
  const starts = startsAt;
  const list = listAt;
  const counts = countsAt;
  const firstRows = firstRowsAt;
  const slots = slotCount;
  for (let slot: u32 = 0; slot < slots; slot++) {
    const row = rowOf(list, slot);
    if (((load<u8>(bits + (row >>> 3)) >>> (row & 7)) & 1) === 0) continue;
    const end = endOf(starts, slot);
    for (let at = firstOf(starts, slot); at < end; at++) note(codeAt<T>(codes, at), row, 1, counts, firstRows);
  }
}

function count<T>(rows: u32, bits: usize): void {
  if (listAt !== 0) sparse<T>(bits);
  else if (startsAt !== 0) several<T>(rows, bits);
  else dense<T>(rows, bits);
}

/** How many of `rows` bits are set; they reach to a multiple of 8 bytes. */
export function countRows(rows: u32, bits: usize): u32 {
  let total: u32 = 0;
  const end = bits + (((<usize>rows + 63) >>> 6) << 3);
  for (let at = bits; at < end; at += 8) total += <u32>popcnt(load<u64>(at));
  return total;
}

/**
 * Counts by code, of `codesMax + 1` codes; `firstRows` is only meaningful where the count is not zero. Rows without a value
 * may count under code 0. The bits reach to a multiple of 8 bytes.
 */
export function countCodes(
  codes: usize,
  width: u32,
  rows: u32,
  starts: usize,
  list: usize,
  slots: u32,
  bits: usize,
  codesMax: u32,
  counts: usize,
  firstRows: usize,
): void {
  useColumn(codes, starts, list, slots);
  countsAt = counts;
  firstRowsAt = firstRows;
  memory.fill(counts, 0, (<usize>codesMax + 1) << 2);
  if (width === 1) count<u8>(rows, bits);
  else if (width === 2) count<u16>(rows, bits);
  else count<u32>(rows, bits);
}

/** Moves what was counted to the front, codes from 1 to `codesMax` ascending: returns how many have a count. */
export function metCodes(codesMax: u32, counts: usize, firstRows: usize, met: usize): u32 {
  let length: usize = 0;
  for (let code: u32 = 1; code <= codesMax; code++) {
    const at = (<usize>code) << 2;
    const many = load<u32>(counts + at);
    if (many === 0) continue;
    store<u32>(counts + length, many);
    store<u32>(firstRows + length, load<u32>(firstRows + at));
    store<u32>(met + length, code);
    length += 4;
  }
  return <u32>(length >>> 2);
}
