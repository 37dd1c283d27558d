/**
 * Finishes a column: its spellings are normalized and sorted, and the values of each row become codes. What the lists mean
 * is said in `storage/segment/columns/format.ts`.
 */
import { nextPiece, numbersOf } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { Entry, slotAt, Table } from "../../shared/assembly/table";
import { Column, Value } from "./columns";
import { facet } from "./host";
import { sortKeys } from "./keys";
import { ColumnOrder } from "./layout";
import { sortTerms } from "./order";
import { scratch } from "./text";

/** Normalized texts are cut to this many bytes. */
const FACET_BYTES_MAX: u32 = 468;

/** A value of a row while those of the row are sorted, as one number of 64 bits. */
@unmanaged
class Ordered {
  place: u32;
  key: u32;
}

export function orderColumn(address: usize): usize {
  const column = changetype<Column>(address);
  const order = changetype<ColumnOrder>(allocate(offsetof<ColumnOrder>()));
  const count = column.texts.count;
  const spellings = allocate((<usize>count) << 2);
  listByNumber(column.texts, spellings);
  const strings = normalize(spellings, count);
  order.stringCount = strings.count;
  orderStrings(order, strings);
  rankStrings(order, spellings, count);
  order.spellingCount = count === strings.count ? count : keepUsed(column, order, spellings, count);
  orderSpellings(order, spellings, count);
  return changetype<usize>(order);
}

function numberAt(list: usize, i: u32): u32 {
  return load<u32>(list + ((<usize>i) << 2));
}

function setNumber(list: usize, i: u32, value: u32): void {
  store<u32>(list + ((<usize>i) << 2), value);
}

function entryAt(list: usize, i: u32): Entry {
  return changetype<Entry>(numberAt(list, i));
}

/** Addresses of entries by their value. */
function listByNumber(table: Table, list: usize): void {
  for (let i: u32 = 0; i <= table.mask; i++) {
    const found = slotAt(table.slots, i).entry;
    if (found !== 0) setNumber(list, changetype<Entry>(found).value, found);
  }
}

/** All different normalized texts; each spelling keeps the address of its own. */
function normalize(spellings: usize, count: u32): Table {
  const strings = changetype<Table>(allocate(offsetof<Table>()));
  strings.prepare();
  for (let i: u32 = 0; i < count; i++) {
    const spelling = entryAt(spellings, i);
    spelling.more = <u32>changetype<usize>(strings.entry(scratch, writeNormalized(spelling)));
  }
  return strings;
}

/** Writes the normalized text to the scratch; returns its length. */
function writeNormalized(spelling: Entry): u32 {
  let start = spelling.bytes;
  let end = start + spelling.length;
  if (!isAscii(start, end)) return facet(start, spelling.length);
  while (start < end && isBlank(load<u8>(start))) start++;
  while (end > start && isBlank(load<u8>(end - 1))) end--;
  const length = min(<u32>(end - start), FACET_BYTES_MAX);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(start + i);
    store<u8>(scratch + i, byte + ((<u32>(byte - 0x41 < 26)) << 5));
  }
  return length;
}

function isAscii(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) >= 0x80) return false;
  return true;
}

function isBlank(byte: u32): bool {
  return byte === 0x20 || byte - 0x09 < 5;
}

/** From here on the value of a string is its place in order. */
function orderStrings(order: ColumnOrder, strings: Table): void {
  const count = order.stringCount;
  const sorted = allocate((<usize>count) << 2);
  strings.listTo(sorted);
  sortTerms(sorted, count);
  order.stringOffsets = allocate((<usize>count + 1) << 2);
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const string = entryAt(sorted, i);
    string.value = i;
    setNumber(order.stringOffsets, i, bytes);
    bytes += string.length;
  }
  setNumber(order.stringOffsets, count, bytes);
  order.stringBytes = allocate(bytes);
  for (let i: u32 = 0; i < count; i++) {
    const string = entryAt(sorted, i);
    memory.copy(order.stringBytes + numberAt(order.stringOffsets, i), string.bytes, string.length);
  }
}

function rankStrings(order: ColumnOrder, spellings: usize, count: u32): void {
  order.stringRanks = allocate((<usize>count) << 2);
  for (let i: u32 = 0; i < count; i++) {
    setNumber(order.stringRanks, i, changetype<Entry>(entryAt(spellings, i).more).value);
  }
}

/**
 * Leaves in the list the spellings that stay in some row, and returns how many: of several spellings of one string the last
 * of a row stays, and one that never does is not written, as a merge would not.
 */
function keepUsed(column: Column, order: ColumnOrder, spellings: usize, count: u32): u32 {
  const used = allocateZeros(count);
  // For each string the row that had it last, counted from one, and the spelling there.
  const lastRows = allocateZeros((<usize>order.stringCount) << 2);
  const lastSpellings = allocate((<usize>order.stringCount) << 2);
  for (let piece = column.values.first; piece !== 0; piece = nextPiece(piece)) {
    const end = column.values.endOf(piece);
    for (let at = numbersOf(piece); at < end; at += offsetof<Value>()) {
      const value = changetype<Value>(at);
      if (!value.isText) continue;
      const string = numberAt(order.stringRanks, value.number);
      const last = numberAt(lastRows, string);
      if (last !== 0 && last !== value.row + 1) store<u8>(used + numberAt(lastSpellings, string), 1);
      setNumber(lastRows, string, value.row + 1);
      setNumber(lastSpellings, string, value.number);
    }
  }
  for (let i: u32 = 0; i < order.stringCount; i++) store<u8>(used + numberAt(lastSpellings, i), 1);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (load<u8>(used + i) !== 0) setNumber(spellings, kept++, numberAt(spellings, i));
  }
  return kept;
}

/** By string, then by their own bytes. `before`: how many there were with those not used. */
function orderSpellings(order: ColumnOrder, spellings: usize, before: u32): void {
  const count = order.spellingCount;
  const strings = order.stringCount;
  const starts = allocateZeros((<usize>strings + 1) << 2);
  order.spellingStarts = starts;
  for (let i: u32 = 0; i < count; i++) {
    const rank = numberAt(order.stringRanks, entryAt(spellings, i).value);
    setNumber(starts, rank + 1, numberAt(starts, rank + 1) + 1);
  }
  for (let i: u32 = 0; i < strings; i++) setNumber(starts, i + 1, numberAt(starts, i + 1) + numberAt(starts, i));
  const sorted = allocate((<usize>count) << 2);
  const next = allocate((<usize>strings) << 2);
  memory.copy(next, starts, (<usize>strings) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const rank = numberAt(order.stringRanks, entryAt(spellings, i).value);
    const place = numberAt(next, rank);
    setNumber(next, rank, place + 1);
    setNumber(sorted, place, numberAt(spellings, i));
  }
  for (let i: u32 = 0; i < strings; i++) {
    const first = numberAt(starts, i);
    const size = numberAt(starts, i + 1) - first;
    if (size > 1) sortTerms(sorted + ((<usize>first) << 2), size);
  }
  order.spellingRanks = allocateZeros((<usize>before) << 2);
  writeSpellings(order, sorted);
}

/** Spellings that are as normalized take no bytes. */
function writeSpellings(order: ColumnOrder, sorted: usize): void {
  const count = order.spellingCount;
  order.spellingOffsets = allocate((<usize>count + 1) << 2);
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const spelling = entryAt(sorted, i);
    setNumber(order.spellingRanks, spelling.value, i);
    setNumber(order.spellingOffsets, i, bytes);
    if (!isAsNormalized(spelling)) bytes += spelling.length;
  }
  setNumber(order.spellingOffsets, count, bytes);
  order.spellingBytes = allocate(bytes);
  for (let i: u32 = 0; i < count; i++) {
    const length = numberAt(order.spellingOffsets, i + 1) - numberAt(order.spellingOffsets, i);
    memory.copy(order.spellingBytes + numberAt(order.spellingOffsets, i), entryAt(sorted, i).bytes, length);
  }
}

function isAsNormalized(spelling: Entry): bool {
  const string = changetype<Entry>(spelling.more);
  return string.length === spelling.length && memory.compare(string.bytes, spelling.bytes, spelling.length) === 0;
}

/**
 * Writes how many codes each row has to `counts`, one row after the other the codes themselves to `codes`, which has room
 * for one a value; returns how many there are. `numberCodes`: the codes of numbers by spelling. Of several spellings of one
 * string the last of a row stays.
 */
export function columnCodes(
  address: usize,
  orderAddress: usize,
  numberCodes: usize,
  firstText: u32,
  counts: usize,
  codes: usize,
): u32 {
  const column = changetype<Column>(address);
  const values = column.values;
  const order = changetype<ColumnOrder>(orderAddress);
  // For each value its key, and behind all of them the code of each.
  const inRow = allocate(<usize>valuesInRow(column) * 12);
  let to = codes;
  let row: u32 = 0;
  let found: u32 = 0;
  for (let piece = values.first; piece !== 0; piece = nextPiece(piece)) {
    const end = values.endOf(piece);
    for (let at = numbersOf(piece); at < end; at += offsetof<Value>()) {
      const value = changetype<Value>(at);
      if (value.row !== row) {
        to = finishRow(row, inRow, found, order, numberCodes, firstText, counts, to);
        row = value.row;
        found = 0;
      }
      store<u32>(inRow + ((<usize>found) << 3), value.spelling);
      found++;
    }
  }
  to = finishRow(row, inRow, found, order, numberCodes, firstText, counts, to);
  return <u32>((to - codes) >> 2);
}

/** Values of the row that has most. */
function valuesInRow(column: Column): u32 {
  const values = column.values;
  let row: u32 = 0;
  let inRow: u32 = 0;
  let most: u32 = 0;
  for (let piece = values.first; piece !== 0; piece = nextPiece(piece)) {
    const end = values.endOf(piece);
    for (let at = numbersOf(piece); at < end; at += offsetof<Value>()) {
      const value = changetype<Value>(at);
      inRow = value.row === row ? inRow + 1 : 1;
      row = value.row;
      most = max(most, inRow);
    }
  }
  return most;
}

/** Sorts the values of a row by what they stand for, then by their place, and writes the code of the last of each. */
function finishRow(
  row: u32,
  inRow: usize,
  count: u32,
  order: ColumnOrder,
  numberCodes: usize,
  firstText: u32,
  counts: usize,
  codes: usize,
): usize {
  if (count === 0) return codes;
  let to = codes;
  if (count === 1) {
    store<u32>(to, codeOf(load<u32>(inRow), order, numberCodes, firstText));
    setNumber(counts, row, 1);
    return to + 4;
  }
  const places = inRow + ((<usize>count) << 3);
  for (let i: u32 = 0; i < count; i++) {
    const at = inRow + ((<usize>i) << 3);
    const value = load<u32>(at);
    const key =
      (value & 1) === 0 ? numberAt(numberCodes, value >> 1) : firstText + numberAt(order.stringRanks, value >> 1);
    setNumber(places, i, codeOf(value, order, numberCodes, firstText));
    store<u64>(at, ((<u64>key) << 32) | i);
  }
  sortKeys(inRow, count);
  let written: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = inRow + ((<usize>i) << 3);
    const own = changetype<Ordered>(at);
    if (i + 1 < count && changetype<Ordered>(at + offsetof<Ordered>()).key === own.key) continue;
    store<u32>(to, numberAt(places, own.place));
    to += 4;
    written++;
  }
  setNumber(counts, row, written);
  return to;
}

function codeOf(value: u32, order: ColumnOrder, numberCodes: usize, firstText: u32): u32 {
  return (value & 1) === 0 ? numberAt(numberCodes, value >> 1) : firstText + numberAt(order.spellingRanks, value >> 1);
}
