/** How many rows of a set have each code, and the lowest of them. */

function note(code: u32, row: u32, counts: usize, firstRows: usize): void {
  const at = (<usize>code) << 2;
  const count = load<u32>(counts + at);
  store<u32>(counts + at, count + 1);
  if (count === 0) store<u32>(firstRows + at, row);
}

function dense<T>(codes: usize, rows: u32, bits: usize, counts: usize, firstRows: usize): void {
  for (let base: u32 = 0; base < rows; base += 64) {
    let word = load<u64>(bits + (base >>> 3));
    const own = codes + <usize>base * sizeof<T>();
    if (~word === 0) {
      for (let i: u32 = 0; i < 64; i++) {
        note(<u32>load<T>(own + <usize>i * sizeof<T>()), base + i, counts, firstRows);
      }
      continue;
    }
    while (word !== 0) {
      const bit = <u32>ctz(word);
      word &= word - 1;
      note(<u32>load<T>(own + <usize>bit * sizeof<T>()), base + bit, counts, firstRows);
    }
  }
}

function several<T>(codes: usize, rows: u32, starts: usize, bits: usize, counts: usize, firstRows: usize): void {
  for (let base: u32 = 0; base < rows; base += 64) {
    let word = load<u64>(bits + (base >>> 3));
    while (word !== 0) {
      const row = base + <u32>ctz(word);
      word &= word - 1;
      const slot = starts + ((<usize>row) << 2);
      const end = load<u32>(slot, 4);
      for (let at = load<u32>(slot); at < end; at++) {
        note(<u32>load<T>(codes + <usize>at * sizeof<T>()), row, counts, firstRows);
      }
    }
  }
}

function sparse<T>(
  codes: usize,
  starts: usize,
  list: usize,
  slots: u32,
  bits: usize,
  counts: usize,
  firstRows: usize,
): void {
  for (let slot: u32 = 0; slot < slots; slot++) {
    const row = load<u32>(list + ((<usize>slot) << 2));
    if (((load<u8>(bits + (row >>> 3)) >>> (row & 7)) & 1) === 0) continue;
    let at = starts === 0 ? slot : load<u32>(starts + ((<usize>slot) << 2));
    const end = starts === 0 ? slot + 1 : load<u32>(starts + ((<usize>slot) << 2), 4);
    for (; at < end; at++) note(<u32>load<T>(codes + <usize>at * sizeof<T>()), row, counts, firstRows);
  }
}

// @ts-expect-error: decorator
function count<T>(
  codes: usize,
  rows: u32,
  starts: usize,
  list: usize,
  slots: u32,
  bits: usize,
  counts: usize,
  firstRows: usize,
): void {
  if (list !== 0) sparse<T>(codes, starts, list, slots, bits, counts, firstRows);
  else if (starts !== 0) several<T>(codes, rows, starts, bits, counts, firstRows);
  else dense<T>(codes, rows, bits, counts, firstRows);
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
  memory.fill(counts, 0, (<usize>codesMax + 1) << 2);
  if (width === 1) count<u8>(codes, rows, starts, list, slots, bits, counts, firstRows);
  else if (width === 2) count<u16>(codes, rows, starts, list, slots, bits, counts, firstRows);
  else count<u32>(codes, rows, starts, list, slots, bits, counts, firstRows);
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
