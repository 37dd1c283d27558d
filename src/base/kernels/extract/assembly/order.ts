/** Sorts terms by their bytes: by the first eight as one number, by the rest only where those are equal. */
import { allocate } from "../../shared/assembly/region";
import { Entry } from "../../shared/assembly/table";

/** A term to be sorted. */
@unmanaged
class Record {
  /** Its first eight bytes as a number whose order is theirs. */
  key: u64;
  /** Its address. */
  entry: u32;
}

/** A record takes 16 bytes. */
const RECORD_SHIFT: usize = 4;
/** Ranges up to this many records are sorted by insertion. */
const SMALL_RANGE: usize = 16;

/** `entries` are addresses of terms: puts them in byte order. */
export function sortTerms(entries: usize, count: u32): void {
  const records = allocate((<usize>count) << RECORD_SHIFT);
  for (let i: usize = 0; i < count; i++) {
    const entry = load<u32>(entries + (i << 2));
    const record = changetype<Record>(at(records, i));
    record.key = keyOf(changetype<Entry>(entry));
    record.entry = entry;
  }
  if (count > 1) sortRange(records, at(records, count - 1));
  for (let i: usize = 0; i < count; i++) store<u32>(entries + (i << 2), changetype<Record>(at(records, i)).entry);
}

function at(records: usize, i: usize): usize {
  return records + (i << RECORD_SHIFT);
}

function keyAt(record: usize): u64 {
  return changetype<Record>(record).key;
}

function entryAt(record: usize): u32 {
  return changetype<Record>(record).entry;
}

function keyOf(entry: Entry): u64 {
  return entry.length === 0 ? 0 : bswap<u64>(load<u64>(entry.bytes));
}

function isBefore(a: u64, aEntry: u32, b: u64, bEntry: u32): bool {
  return a !== b ? a < b : isBeforeBehind(aEntry, bEntry);
}

/** The order of two terms that are equal in their first eight bytes, zeros counting as bytes of shorter ones. */
function isBeforeBehind(aEntry: u32, bEntry: u32): bool {
  const a = changetype<Entry>(aEntry);
  const b = changetype<Entry>(bEntry);
  const least = min(a.length, b.length);
  for (let i: usize = 8; i < least; i++) {
    const left = load<u8>(a.bytes + i);
    const right = load<u8>(b.bytes + i);
    if (left !== right) return left < right;
  }
  return a.length < b.length;
}

/** Sorts the records from `first` to `last`, both included. */
function sortRange(first: usize, last: usize): void {
  let low = first;
  let high = last;
  while (high - low > SMALL_RANGE << RECORD_SHIFT) {
    const cut = partition(low, high);
    // The smaller side first, so that the depth stays logarithmic.
    if (cut - low < high - cut) {
      sortRange(low, cut);
      low = cut + (1 << RECORD_SHIFT);
    } else {
      sortRange(cut + (1 << RECORD_SHIFT), high);
      high = cut;
    }
  }
  insert(low, high);
}

/** Cuts a range in two so that nothing behind the record returned is before it or anything in front of it. */
function partition(low: usize, high: usize): usize {
  const middle = low + ((((high - low) >> RECORD_SHIFT) >> 1) << RECORD_SHIFT);
  orderTwo(low, middle);
  orderTwo(middle, high);
  orderTwo(low, middle);
  const key = keyAt(middle);
  const entry = entryAt(middle);
  let i = low - (1 << RECORD_SHIFT);
  let j = high + (1 << RECORD_SHIFT);
  while (true) {
    do i += 1 << RECORD_SHIFT;
    while (isBefore(keyAt(i), entryAt(i), key, entry));
    do j -= 1 << RECORD_SHIFT;
    while (isBefore(key, entry, keyAt(j), entryAt(j)));
    if (i >= j) break;
    swap(i, j);
  }
  return j;
}

function orderTwo(a: usize, b: usize): void {
  if (isBefore(keyAt(b), entryAt(b), keyAt(a), entryAt(a))) swap(a, b);
}

function swap(a: usize, b: usize): void {
  const held = v128.load(a);
  v128.store(a, v128.load(b));
  v128.store(b, held);
}

function insert(low: usize, high: usize): void {
  for (let i = low + (1 << RECORD_SHIFT); i <= high; i += 1 << RECORD_SHIFT) {
    const held = v128.load(i);
    const key = keyAt(i);
    const entry = entryAt(i);
    let to = i;
    while (to > low && isBefore(key, entry, keyAt(to - 16), entryAt(to - 16))) {
      v128.store(to, v128.load(to - 16));
      to -= 16;
    }
    v128.store(to, held);
  }
}
