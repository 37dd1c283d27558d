/** Numbers: those of a column from their spellings to codes, and ids that are numbers. */
import { ByteRange } from "../../shared/assembly/byte-range";
import { idNumber } from "../../shared/assembly/id-number";
import { allocate } from "../../shared/assembly/region";
import { Entry, slotAt } from "../../shared/assembly/table";
import { Column } from "./columns";
import { sortManyKeys } from "./keys";
import { OddNumber } from "./layout";

const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const ZERO: u32 = 0x30;
/** So many digits are below 2^53: as a whole number they are exact, and so are powers of ten up to the 22nd. */
const DIGITS_MAX: u32 = 15;
const FRACTION_MAX: u32 = 22;
const SIGN: u64 = (<u64>1) << 63;
/** Larger than any value that is read here. */
const LEFT: f64 = f64.MAX_VALUE;

/**
 * Writes the values of a column's numbers, by number of their spelling, to `values`. Those that cannot be read exactly here are
 * left to the host: an `OddNumber` of each is written to `odd`; returns how many there are.
 */
export function numberValues(address: usize, values: usize, odd: usize): u32 {
  const table = changetype<Column>(address).numbers;
  let left = odd;
  for (let i: u32 = 0; i <= table.mask; i++) {
    const found = <usize>slotAt(table.slots, i).entry;
    if (found === 0) continue;
    const entry = changetype<Entry>(found);
    const value = valueIn(entry.bytes, entry.length);
    store<f64>(values + ((<usize>entry.value) << 3), value);
    if (value !== LEFT) continue;
    const own = changetype<OddNumber>(left);
    own.number = entry.value;
    own.at = <u32>entry.bytes;
    own.length = entry.length;
    left += offsetof<OddNumber>();
  }
  return <u32>((left - odd) / offsetof<OddNumber>());
}

/** LEFT when it is left to the host. */
function valueIn(start: usize, length: u32): f64 {
  const end = start + length;
  const isNegative = load<u8>(start) === MINUS;
  let mantissa: u64 = 0;
  let digits: u32 = 0;
  let point: usize = 0;
  for (let at = start + <usize>isNegative; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte === POINT) {
      point = at + 1;
      continue;
    }
    const digit = byte - ZERO;
    if (digit > 9) return LEFT;
    if (mantissa !== 0 || digit !== 0) digits++;
    if (digits > DIGITS_MAX) return LEFT;
    mantissa = mantissa * 10 + digit;
  }
  if (mantissa === 0) return 0;
  let value = <f64>mantissa;
  if (point !== 0) {
    const fraction = <u32>(end - point);
    if (fraction > FRACTION_MAX) return LEFT;
    let power: f64 = 1;
    for (let i: u32 = 0; i < fraction; i++) power *= 10;
    value /= power;
  }
  return isNegative ? -value : value;
}

/**
 * Leaves the different ones of `count` values at the beginning of `values`, ascending, and writes the place of each among them
 * plus one to `codes`; returns how many differ.
 */
export function orderNumbers(values: usize, count: u32, codes: usize): u32 {
  const bytes = (<usize>count) << 3;
  const keys = allocate(bytes);
  for (let i: usize = 0; i < bytes; i += 8) store<u64>(keys + i, keyOf(load<u64>(values + i)));
  sortManyKeys(keys, count);
  let different: u32 = 0;
  for (let i: usize = 0; i < bytes; i += 8) {
    const key = load<u64>(keys + i);
    if (i > 0 && load<u64>(keys + ((<usize>different - 1) << 3)) === key) continue;
    store<u64>(keys + ((<usize>different) << 3), key);
    different++;
  }
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(codes + ((<usize>i) << 2), placeOf(keys, different, keyOf(load<u64>(values + ((<usize>i) << 3)))) + 1);
  }
  for (let i: u32 = 0; i < different; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    store<u64>(values + ((<usize>i) << 3), (key & SIGN) !== 0 ? key ^ SIGN : ~key);
  }
  return different;
}

/** A number whose order is that of the values. */
function keyOf(bits: u64): u64 {
  return (bits & SIGN) !== 0 ? ~bits : bits ^ SIGN;
}

function placeOf(keys: usize, count: u32, wanted: u64): u32 {
  let low: u32 = 0;
  let high = count;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(keys + ((<usize>middle) << 3)) <= wanted) low = middle;
    else high = middle;
  }
  return low;
}

/** Writes the ids that lie side by side, from `offsets[i]` on, as numbers; false when one is none. */
export function idNumbers(bytes: usize, offsets: usize, count: u32, out: usize): bool {
  for (let i: u32 = 0; i < count; i++) {
    const place = changetype<ByteRange>(offsets + ((<usize>i) << 2));
    const value = idNumber(bytes + place.start, place.end - place.start);
    if (value < 0) return false;
    store<u32>(out + ((<usize>i) << 2), <u32>value);
  }
  return true;
}
