/** Finds the id of each document, and has the host number its names. Documents are known to be valid. */
import { ByteRange } from "../../shared/assembly/byte-range";
import { SECOND } from "../../shared/assembly/characters";
import { idNumber } from "../../shared/assembly/id-number";
import { COLON, COMMA, forgetSpaces, passSpaces, QUOTE, valueEnd } from "../../shared/assembly/json";
import { beginNames, meaningOf, UNREADABLE } from "./names";

const ID_BIT: u32 = 0x8000_0000;
const ID_BYTES_MAX: u32 = 511;
/** Whole numbers up to this length always fit 64 bits. */
const INTEGER_BYTES_MAX: u32 = 18;
/** The id found last, if all so far were numbers, each above the one before; -1 before the first, NOT_ASCENDING otherwise. */
let lastNumber: i64 = -1;
const NOT_ASCENDING: i64 = i64.MAX_VALUE;

export function openScan(): void {
  lastNumber = -1;
}

/** Whether all ids so far are numbers, each above the one before. */
export function areAscending(): bool {
  return lastNumber !== NOT_ASCENDING;
}

/**
 * Writes the ids of documents one behind the other to `out`, which has room for all the documents, and where each ends,
 * counted on from `before`, to `ends`. False when one is missing or not plainly an id. `ranges`: pairs of start and end,
 * counted from `base`.
 */
export function scanIds(base: usize, ranges: usize, count: u32, out: usize, ends: usize, before: u32): bool {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    const id = to;
    to = writeId(to, base + changetype<ByteRange>(ranges + <usize>i * offsetof<ByteRange>()).start);
    if (to === id) return false;
    if (lastNumber !== NOT_ASCENDING) {
      const number = idNumber(id, <u32>(to - id));
      lastNumber = number > lastNumber ? number : NOT_ASCENDING;
    }
    store<u32>(ends + ((<usize>i) << 2), before + <u32>(to - out));
  }
  return true;
}

function writeId(out: usize, start: usize): usize {
  let valueStart: usize = 0;
  let end: usize = 0;
  let isReadable = true;
  let at = start + 1;
  beginNames();
  forgetSpaces();
  while (true) {
    at = passSpaces(at, COMMA);
    if (load<u8>(at) !== QUOTE) break;
    const name = at + 1;
    at = valueEnd(at);
    const meaning = meaningOf(name, <u32>(at - 1 - name));
    const value = passSpaces(at, COLON);
    at = valueEnd(value);
    if (meaning === UNREADABLE) isReadable = false;
    else if ((meaning & ID_BIT) !== 0) {
      valueStart = value;
      end = at;
    }
  }
  if (!isReadable || valueStart === 0) return out;
  if (load<u8>(valueStart) === QUOTE) return writeText(out, valueStart + 1, <u32>(end - valueStart - 2));
  return writeInteger(out, valueStart, <u32>(end - valueStart));
}

function writeText(out: usize, start: usize, length: u32): usize {
  if (length === 0 || length > ID_BYTES_MAX) return out;
  for (let i: u32 = 0; i < length; i++) if (!isIdByte(load<u8>(start + i))) return out;
  memory.copy(out, start, length);
  return out + length;
}

/** A digit, a letter, a hyphen or an underscore. */
function isIdByte(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26 || byte - 0x30 < 10 || byte === 0x2d || byte === 0x5f;
}

function writeInteger(out: usize, start: usize, length: u32): usize {
  const isNegative = load<u8>(start) === 0x2d;
  if (length > INTEGER_BYTES_MAX) return out;
  // Minus zero exists only as a float.
  if (isNegative && load<u8>(start, SECOND) === 0x30) return out;
  for (let i: u32 = isNegative ? 1 : 0; i < length; i++) if (<u32>load<u8>(start + i) - 0x30 >= 10) return out;
  memory.copy(out, start, length);
  return out + length;
}
