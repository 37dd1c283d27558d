/**
 * Checks the syntax of documents, one behind the other, and notes where each lies. What is wrong with those it refuses is
 * for the host to find out. Never recurses, so nesting cannot exhaust the stack. Bytes are known to be UTF-8.
 */

import { ByteRange } from "../../shared/assembly/byte-range";
import { SECOND } from "../../shared/assembly/characters";
import {
  ARRAY_END,
  ARRAY_START,
  BACKSLASH,
  COLON,
  COMMA,
  OBJECT_END,
  OBJECT_START,
  QUOTE,
  SPACE,
} from "../../shared/assembly/json";
import { isFiniteNumber } from "./host";

/** How a run of documents ended: at the end of the bytes, perhaps inside a document; behind the array; at a mistake. */
const MORE: u32 = 0;
const CLOSED: u32 = 1;
const REFUSED: u32 = 2;

/** Longer numbers, and those with long exponents, may leave the range of a double. */
const SAFE_NUMBER_BYTES: usize = 200;
const SAFE_EXPONENT_DIGITS: usize = 2;

/** Instead of an address: a mistake, or an end where there must be more. No address is so low. */
const WRONG: usize = 0;
const CUT: usize = 1;

/** What a container that is open is. */
const IN_ARRAY: u8 = 0;
const IN_OBJECT: u8 = 1;
/** In an escape, behind `u` and its four digits. */
const ESCAPE_END: usize = 5;

/** Where the documents before have ended, and whether the next thing is a separator; set by the host before the first. */
let next: usize = 0;
let isArray: bool = false;
let afterDocument: bool = false;
let afterComma: bool = false;
let limit: usize = 0;
/** One byte for each open container. */
let containers: usize = 0;
let depthMax: u32 = 0;

/** Begins a body: an array whose opening was read, or documents without separators. */
export function openBody(array: bool, stack: usize, depth: u32): void {
  isArray = array;
  afterDocument = false;
  afterComma = false;
  containers = stack;
  depthMax = depth;
}

export function nextOfBody(): usize {
  return next;
}

/**
 * Writes start and end of whole documents in `[start, end)`, `shift` added to each, `capacity` documents at most; returns their
 * number, doubled twice, and how it ended.
 */
export function checkDocuments(start: usize, end: usize, shift: u32, ranges: usize, capacity: u32): u32 {
  let count: u32 = 0;
  limit = end;
  next = start;
  while (count < capacity) {
    const at = passBlanks(next);
    if (at === end) {
      next = at;
      break;
    }
    const byte = <u32>load<u8>(at);
    if (isArray && afterDocument) {
      next = at + 1;
      if (byte === ARRAY_END) return (count << 2) | CLOSED;
      if (byte !== COMMA) return (count << 2) | REFUSED;
      afterDocument = false;
      afterComma = true;
      continue;
    }
    if (isArray && byte === ARRAY_END && !afterComma) {
      next = at + 1;
      return (count << 2) | CLOSED;
    }
    if (byte !== OBJECT_START) return (count << 2) | REFUSED;
    const behind = valueEnd(at);
    if (behind === WRONG) return (count << 2) | REFUSED;
    if (behind === CUT) {
      next = at;
      break;
    }
    const range = changetype<ByteRange>(ranges + <usize>count * offsetof<ByteRange>());
    range.start = <u32>at + shift;
    range.end = <u32>behind + shift;
    count++;
    next = behind;
    afterDocument = true;
  }
  return (count << 2) | MORE;
}

function passBlanks(from: usize): usize {
  let at = from;
  while (at < limit && isBlank(load<u8>(at))) at++;
  return at;
}

function isBlank(byte: u32): bool {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Behind the value at `from`, which may be preceded by white space. */
function valueEnd(from: usize): usize {
  const stack = containers;
  let depth: u32 = 0;
  let at = from;
  while (true) {
    // A value is expected here.
    at = passBlanks(at);
    if (at >= limit) return CUT;
    const byte = <u32>load<u8>(at);
    if (byte === QUOTE) {
      at = stringEnd(at + 1);
    } else if (byte === OBJECT_START) {
      if (depth === depthMax) return WRONG;
      store<u8>(stack + depth++, IN_OBJECT);
      at = passBlanks(at + 1);
      if (at >= limit) return CUT;
      if (load<u8>(at) === OBJECT_END) {
        at++;
        depth--;
      } else {
        at = keyEnd(at);
        if (at <= CUT) return at;
        continue;
      }
    } else if (byte === ARRAY_START) {
      if (depth === depthMax) return WRONG;
      store<u8>(stack + depth++, IN_ARRAY);
      at = passBlanks(at + 1);
      if (at >= limit) return CUT;
      if (load<u8>(at) !== ARRAY_END) continue;
      at++;
      depth--;
    } else if (byte === 0x2d || isDigit(byte)) {
      at = numberEnd(at);
    } else {
      at = wordEnd(at, byte);
    }
    if (at <= CUT) return at;
    // A value has ended: close containers, or go on to the next value.
    while (depth > 0) {
      at = passBlanks(at);
      if (at >= limit) return CUT;
      const separator = <u32>load<u8>(at);
      const inObject = load<u8>(stack + depth - 1) === IN_OBJECT;
      if (separator === COMMA) {
        at = passBlanks(at + 1);
        if (at >= limit) return CUT;
        if (inObject) {
          at = keyEnd(at);
          if (at <= CUT) return at;
        } else if (load<u8>(at) === ARRAY_END) {
          return WRONG;
        }
        break;
      }
      if (separator !== (inObject ? OBJECT_END : ARRAY_END)) return WRONG;
      at++;
      depth--;
    }
    if (depth === 0) break;
  }
  return at;
}

/** Behind the name at `from` and its colon. */
function keyEnd(from: usize): usize {
  if (load<u8>(from) !== QUOTE) return WRONG;
  let at = stringEnd(from + 1);
  if (at <= CUT) return at;
  at = passBlanks(at);
  if (at >= limit) return CUT;
  return load<u8>(at) === COLON ? at + 1 : WRONG;
}

/** From behind the opening quote to behind the closing one. */
function stringEnd(from: usize): usize {
  let at = from;
  while (true) {
    const chunk = v128.load(at);
    const found = i8x16.bitmask(
      v128.or(
        i8x16.lt_u(chunk, i8x16.splat(<i8>SPACE)),
        v128.or(i8x16.eq(chunk, i8x16.splat(<i8>QUOTE)), i8x16.eq(chunk, i8x16.splat(<i8>BACKSLASH))),
      ),
    );
    if (found === 0) {
      at += 16;
      if (at >= limit) return CUT;
      continue;
    }
    at += ctz(found);
    if (at >= limit) return CUT;
    const byte = <u32>load<u8>(at);
    if (byte === QUOTE) break;
    if (byte !== BACKSLASH) return WRONG;
    at = escapeEnd(at + 1);
    if (at <= CUT) return at;
  }
  return at + 1;
}

/** From behind the backslash to behind the escape. */
function escapeEnd(from: usize): usize {
  if (from >= limit) return CUT;
  switch (<u32>load<u8>(from)) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return from + 1;
    case 0x75:
      break;
    default:
      return WRONG;
  }
  // An escape that the bytes cut short is read again with what follows.
  if (from + 5 > limit) return CUT;
  const unit = hexUnit(from + 1);
  if (unit < 0) return WRONG;
  if (unit < 0xd800 || unit > 0xdfff) return from + 5;
  if (from + 11 > limit) return CUT;
  if (unit >= 0xdc00 || load<u16>(from, ESCAPE_END) !== 0x755c) return WRONG;
  const low = hexUnit(from + 7);
  return low >= 0xdc00 && low <= 0xdfff ? from + 11 : WRONG;
}

/** Four hexadecimal digits; -1 when they are not. */
function hexUnit(at: usize): i32 {
  let unit: i32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const byte = <u32>load<u8>(at + i);
    const letter = (byte | 0x20) - 0x61;
    if (isDigit(byte)) unit = (unit << 4) | (byte - 0x30);
    else if (letter < 6) unit = (unit << 4) | (letter + 10);
    else return -1;
  }
  return unit;
}

function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

function digitsEnd(from: usize): usize {
  let at = from;
  while (at < limit && isDigit(load<u8>(at))) at++;
  return at;
}

function numberEnd(from: usize): usize {
  let at = from;
  if (load<u8>(at) === 0x2d) at++;
  if (at >= limit) return CUT;
  const whole = at;
  at = digitsEnd(at);
  if (at === whole || (load<u8>(whole) === 0x30 && at > whole + 1)) return WRONG;
  if (at < limit && load<u8>(at) === 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(fraction);
    if (at >= limit) return CUT;
    if (at === fraction) return WRONG;
  }
  let isSafe = at - from <= SAFE_NUMBER_BYTES;
  if (at < limit && (<u32>load<u8>(at) | 0x20) === 0x65) {
    at++;
    if (at < limit && (load<u8>(at) === 0x2b || load<u8>(at) === 0x2d)) at++;
    const exponent = at;
    at = digitsEnd(exponent);
    if (at >= limit) return CUT;
    if (at === exponent) return WRONG;
    if (at - exponent > SAFE_EXPONENT_DIGITS) isSafe = false;
  }
  if (at >= limit) return CUT;
  return isSafe || isFiniteNumber(from, <u32>(at - from)) !== 0 ? at : WRONG;
}

function wordEnd(at: usize, byte: u32): usize {
  if (at + 5 > limit) return CUT;
  const word = load<u32>(at);
  if (byte === 0x74) return word === 0x65757274 ? at + 4 : WRONG;
  if (byte === 0x6e) return word === 0x6c6c756e ? at + 4 : WRONG;
  return byte === 0x66 && load<u32>(at, SECOND) === 0x65736c61 ? at + 5 : WRONG;
}
