/**
 * The strict gate for JSON from outside: RFC 8259 syntax, UTF-8, nesting, number range. What passes here may be walked
 * by `JsonCursor` without further checks. It never recurses, so nesting cannot exhaust the stack.
 */
import { Buffer, isUtf8 } from "node:buffer";
import { limits } from "../limits.ts";

export interface JsonProblem {
  /** What is wrong and where, e.g. "expected `:` at line 1 column 9". */
  problem: string;
  /** Byte offset of the offending byte, or the end of the input. */
  offset: number;
}

const PLAIN = 0;
const QUOTE = 1;
const ESCAPE = 2;
const CONTROL = 3;

/** Classes of bytes inside a string. Bytes from 128 up count as plain: UTF-8 is checked natively, beforehand. */
const inString = new Uint8Array(256);
inString.fill(CONTROL, 0, 0x20);
inString[0x22] = QUOTE;
inString[0x5c] = ESCAPE;

const isDigit = new Uint8Array(256);
isDigit.fill(1, 0x30, 0x3a);

/** Value of a hexadecimal digit, or 255. */
const hexValue = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) {
  hexValue["0123456789abcdef".charCodeAt(i)] = i;
  hexValue["0123456789ABCDEF".charCodeAt(i)] = i;
}

/** More digits than this, or any exponent, and a number may leave the range of a double. */
const SAFE_NUMBER_BYTES = 300;

const FAILED = -1;

/**
 * Checks one value at a time. `value` gives the offset after the value, or -1 and then `problem` and `offset` say why.
 * Bytes must already be known to be UTF-8.
 */
export class JsonScanner {
  problem = "";
  offset = 0;
  readonly #objects: Uint8Array;

  /** `depthMax`: how many containers may be open at once. */
  constructor(depthMax: number = limits.jsonDepth) {
    this.#objects = new Uint8Array(depthMax);
  }

  /** Notes why the input is refused; gives -1. */
  fail(problem: string, offset: number): number {
    this.problem = problem;
    this.offset = offset;
    return FAILED;
  }

  /** The value that starts at or after `at` (white space is passed over). */
  value(bytes: Uint8Array, at: number, end: number): number {
    const objects = this.#objects;
    let depth = 0;
    for (;;) {
      // A value is expected here.
      while (at < end && isSpace(bytes[at]!)) at++;
      if (at >= end) return this.fail(eofIn(depth, objects), end);
      const byte = bytes[at]!;
      if (byte === 0x22) {
        at = this.#string(bytes, at + 1, end);
      } else if (byte === 0x7b) {
        if (depth === objects.length) return this.fail("nesting is too deep: recursion limit exceeded", at);
        objects[depth++] = 1;
        at = this.#firstKey(bytes, at + 1, end);
        if (at >= 0) continue;
        if (at === FAILED) return FAILED;
        at = -at;
        depth--;
      } else if (byte === 0x5b) {
        if (depth === objects.length) return this.fail("nesting is too deep: recursion limit exceeded", at);
        objects[depth++] = 0;
        at++;
        while (at < end && isSpace(bytes[at]!)) at++;
        if (at >= end || bytes[at] !== 0x5d) continue;
        at++;
        depth--;
      } else if (byte === 0x2d || isDigit[byte] === 1) {
        at = this.#number(bytes, at, end);
      } else {
        at = this.#word(bytes, at, end);
      }
      if (at === FAILED) return FAILED;

      // A value has ended at `at`: close containers, or go on to the next value.
      for (;;) {
        if (depth === 0) return at;
        while (at < end && isSpace(bytes[at]!)) at++;
        if (at >= end) return this.fail(eofIn(depth, objects), end);
        const separator = bytes[at]!;
        if (objects[depth - 1] === 1) {
          if (separator === 0x2c) {
            at = this.#key(bytes, at + 1, end, true);
            if (at === FAILED) return FAILED;
            break;
          }
          if (separator !== 0x7d) return this.fail("expected `,` or `}`", at);
        } else {
          if (separator === 0x2c) {
            at++;
            while (at < end && isSpace(bytes[at]!)) at++;
            if (at < end && bytes[at] === 0x5d) return this.fail("trailing comma", at);
            break;
          }
          if (separator !== 0x5d) return this.fail("expected `,` or `]`", at);
        }
        at++;
        depth--;
      }
    }
  }

  /** After `{`: the offset of the first member's value; minus the offset after `}` when there is no member. */
  #firstKey(bytes: Uint8Array, at: number, end: number): number {
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at < end && bytes[at] === 0x7d) return -(at + 1);
    return this.#key(bytes, at, end, false);
  }

  /** A member's name and its colon; gives the offset after the colon. */
  #key(bytes: Uint8Array, at: number, end: number, afterComma: boolean): number {
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at >= end) return this.fail("unexpected end inside an object", end);
    if (bytes[at] !== 0x22) {
      return this.fail(afterComma && bytes[at] === 0x7d ? "trailing comma" : "key must be a string", at);
    }
    at = this.#string(bytes, at + 1, end);
    if (at === FAILED) return FAILED;
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at >= end) return this.fail("unexpected end inside an object", end);
    if (bytes[at] !== 0x3a) return this.fail("expected `:`", at);
    return at + 1;
  }

  /** From after the opening quote to after the closing one. */
  #string(bytes: Uint8Array, at: number, end: number): number {
    for (;;) {
      while (at < end && inString[bytes[at]!] === PLAIN) at++;
      if (at >= end) return this.fail("unexpected end inside a string", end);
      const kind = inString[bytes[at]!];
      if (kind === QUOTE) return at + 1;
      if (kind === CONTROL) return this.fail("control character (U+0000 to U+001F) inside a string", at);
      at = this.#escape(bytes, at + 1, end);
      if (at === FAILED) return FAILED;
    }
  }

  /** From after the backslash to after the escape. */
  #escape(bytes: Uint8Array, at: number, end: number): number {
    if (at >= end) return this.fail("unexpected end inside a string", end);
    switch (bytes[at]) {
      case 0x22:
      case 0x5c:
      case 0x2f:
      case 0x62:
      case 0x66:
      case 0x6e:
      case 0x72:
      case 0x74:
        return at + 1;
      case 0x75:
        break;
      default:
        return this.fail("invalid escape", at);
    }
    const unit = this.#hex(bytes, at + 1, end);
    if (unit === FAILED) return FAILED;
    at += 5;
    if (unit < 0xd800 || unit > 0xdfff) return at;
    if (unit >= 0xdc00 || bytes[at] !== 0x5c || bytes[at + 1] !== 0x75 || at + 1 >= end) {
      return this.fail("lone surrogate in a hex escape", Math.min(at, end) - 1);
    }
    const low = this.#hex(bytes, at + 2, end);
    if (low === FAILED) return FAILED;
    if (low < 0xdc00 || low > 0xdfff) return this.fail("lone surrogate in a hex escape", at + 5);
    return at + 6;
  }

  #hex(bytes: Uint8Array, at: number, end: number): number {
    if (at + 4 > end) return this.fail("unexpected end inside a string", end);
    let unit = 0;
    for (let i = at; i < at + 4; i++) {
      const digit = hexValue[bytes[i]!]!;
      if (digit === 255) return this.fail("invalid escape", i);
      unit = unit * 16 + digit;
    }
    return unit;
  }

  #number(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    let exponent = false;
    if (bytes[at] === 0x2d) at++;
    if (at >= end) return this.fail("unexpected end inside a number", end);
    if (bytes[at] === 0x30) {
      at++;
      if (at < end && isDigit[bytes[at]!] === 1) return this.fail("invalid number", at);
    } else {
      if (isDigit[bytes[at]!] !== 1) return this.fail("invalid number", at);
      while (at < end && isDigit[bytes[at]!] === 1) at++;
    }
    if (at < end && bytes[at] === 0x2e) {
      at++;
      if (at >= end) return this.fail("unexpected end inside a number", end);
      if (isDigit[bytes[at]!] !== 1) return this.fail("invalid number", at);
      while (at < end && isDigit[bytes[at]!] === 1) at++;
    }
    if (at < end && (bytes[at]! | 0x20) === 0x65) {
      exponent = true;
      at++;
      if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++;
      if (at >= end) return this.fail("unexpected end inside a number", end);
      if (isDigit[bytes[at]!] !== 1) return this.fail("invalid number", at);
      while (at < end && isDigit[bytes[at]!] === 1) at++;
    }
    if (exponent || at - start > SAFE_NUMBER_BYTES) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString("latin1");
      if (!Number.isFinite(Number(text))) return this.fail("number out of range", at - 1);
    }
    return at;
  }

  #word(bytes: Uint8Array, at: number, end: number): number {
    const byte = bytes[at];
    const word = byte === 0x74 ? "true" : byte === 0x66 ? "false" : byte === 0x6e ? "null" : "";
    if (word === "") return this.fail("expected a value", at);
    for (let i = 1; i < word.length; i++) {
      if (at + i >= end) return this.fail("unexpected end inside a value", end);
      if (bytes[at + i] !== word.charCodeAt(i)) return this.fail(`expected \`${word}\``, at + i);
    }
    return at + word.length;
  }
}

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function eofIn(depth: number, objects: Uint8Array): string {
  if (depth === 0) return "unexpected end where a value is expected";
  return objects[depth - 1] === 1 ? "unexpected end inside an object" : "unexpected end inside an array";
}

/** The first byte sequence that is not UTF-8, if there is one. */
export function utf8Problem(bytes: Uint8Array, start: number, end: number): JsonProblem | null {
  if (isUtf8(bytes.subarray(start, end))) return null;
  return problemAt(bytes, start, end, "invalid unicode code point", firstInvalidUtf8(bytes, start, end));
}

/** Lines and columns count from 1, columns in bytes; at the end of input the column is that of the last byte. */
export function problemAt(bytes: Uint8Array, start: number, end: number, problem: string, offset: number): JsonProblem {
  let line = 1;
  let lineStart = start;
  for (let i = start; i < offset; i++) {
    if (bytes[i] === 0x0a) {
      line++;
      lineStart = i + 1;
    }
  }
  const column = Math.min(offset + 1, end) - lineStart;
  return { problem: `${problem} at line ${line} column ${column}`, offset };
}

function firstInvalidUtf8(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const lead = bytes[at]!;
    if (lead < 0x80) {
      at++;
      continue;
    }
    const length = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length === 0 || at + length > end) return at;
    // The second byte is bounded further, against overlong forms, surrogates and values past U+10FFFF.
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (bytes[at + 1]! < low || bytes[at + 1]! > high) return at;
    for (let i = at + 2; i < at + length; i++) {
      if ((bytes[i]! & 0xc0) !== 0x80) return at;
    }
    at += length;
  }
  return end;
}
