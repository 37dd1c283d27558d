/**
 * A pull cursor over JSON bytes that are known to be valid (see `validate.ts`): one token a call, no allocation
 * except for `text()`. It never checks syntax; on invalid input it stays inside its range but its tokens mean nothing.
 */
import { Buffer } from "node:buffer";

export const END = 0;
export const OBJECT_START = 1;
export const OBJECT_END = 2;
export const ARRAY_START = 3;
export const ARRAY_END = 4;
export const KEY = 5;
export const STRING = 6;
export const NUMBER = 7;
export const TRUE = 8;
export const FALSE = 9;
export const NULL = 10;

const QUOTE = 0x22;
const PLUS = 0x2b;
const NINE = 0x39;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Strings up to this many bytes are decoded by a loop when they are ASCII. */
const SHORT_TEXT_BYTES = 16;

/**
 * @example
 * cursor.reset(bytes, 0, bytes.length);
 * while ((token = cursor.next()) !== END) {
 *   if (token === KEY && cursor.text() === "title") { ... } else if (token === KEY) cursor.skipValue();
 * }
 */
export class JsonCursor {
  /** The raw text of the last token or skipped value; inside the quotes for KEY and STRING. */
  start = 0;
  end = 0;
  /** Whether the last KEY or STRING holds a backslash. */
  escaped = false;
  /** Open containers around the position. */
  depth = 0;
  /** Whether white space was met outside strings since `reset`. */
  spaced = false;

  #bytes: Uint8Array = new Uint8Array(0);
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  #limit = 0;
  #keyNext = false;
  /** One byte per open container: 1 for an object. */
  #containers = new Uint8Array(160);

  reset(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#limit = end;
    this.start = start;
    this.end = start;
    this.depth = 0;
    this.#keyNext = false;
    this.spaced = false;
    this.escaped = false;
  }

  /** The next token; KEY for the names of members. */
  next(): number {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let at = this.#at;
    while (at < limit) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.#at = at;
        this.#string();
        if (!this.#keyNext) return STRING;
        this.#keyNext = false;
        return KEY;
      }
      if (byte <= SPACE) {
        this.spaced = true;
        at++;
      } else if (byte === COMMA) {
        this.#keyNext = this.depth > 0 && this.#containers[this.depth - 1] === 1;
        at++;
      } else if (byte === COLON) {
        at++;
      } else {
        return this.#other(byte, at);
      }
    }
    this.#at = at;
    this.start = at;
    this.end = at;
    return END;
  }

  #other(byte: number, at: number): number {
    this.start = at;
    this.escaped = false;
    let token = NUMBER;
    let length = 1;
    switch (byte) {
      case 0x7b:
        this.#push(1);
        this.#keyNext = true;
        token = OBJECT_START;
        break;
      case 0x5b:
        this.#push(0);
        this.#keyNext = false;
        token = ARRAY_START;
        break;
      case 0x7d:
      case 0x5d:
        if (this.depth > 0) this.depth--;
        this.#keyNext = false;
        token = byte === 0x7d ? OBJECT_END : ARRAY_END;
        break;
      case 0x74:
        token = TRUE;
        length = 4;
        break;
      case 0x66:
        token = FALSE;
        length = 5;
        break;
      case 0x6e:
        token = NULL;
        length = 4;
        break;
      default:
        length = this.#numberEnd(at) - at;
    }
    this.#at = Math.min(at + length, this.#limit);
    this.end = this.#at;
    return token;
  }

  #push(kind: number): void {
    if (this.depth === this.#containers.length) {
      const grown = new Uint8Array(this.depth * 2);
      grown.set(this.#containers);
      this.#containers = grown;
    }
    this.#containers[this.depth++] = kind;
  }

  #numberEnd(at: number): number {
    const bytes = this.#bytes;
    const limit = this.#limit;
    at++;
    while (at < limit) {
      const byte = bytes[at]!;
      if (byte === COMMA || byte <= SPACE || byte === 0x7d || byte === 0x5d) break;
      at++;
    }
    return at;
  }

  /** Reads the string whose opening quote is at the position. */
  #string(): void {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let at = this.#at + 1;
    this.start = at;
    let escaped = false;
    while (at < limit) {
      const byte = bytes[at]!;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        at++;
      }
      at++;
    }
    if (at > limit) at = limit;
    this.escaped = escaped;
    this.end = at;
    this.#at = at + 1;
  }

  /**
   * After KEY (or between elements of an array): jumps over the value that follows. `start` and `end` are then its raw
   * text, quotes included.
   */
  skipValue(): void {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let at = this.#at;
    while (at < limit) {
      const byte = bytes[at]!;
      if (byte <= SPACE) this.spaced = true;
      else if (byte !== COLON && byte !== COMMA) break;
      at++;
    }
    const start = at;
    if (at < limit) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.#at = at;
        this.#string();
        at = this.#at;
      } else if (byte === 0x7b || byte === 0x5b) {
        at = this.#containerEnd(at);
      } else {
        at = this.#numberEnd(at);
      }
    }
    this.#at = at;
    this.start = start;
    this.end = at;
    this.escaped = false;
    this.#keyNext = false;
  }

  /** The offset after the container that opens at `at`. */
  #containerEnd(at: number): number {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let open = 0;
    while (at < limit) {
      const byte = bytes[at++]!;
      // Digits, signs, points and commas: long lists of numbers are nothing else.
      if (byte >= PLUS && byte <= NINE) continue;
      if (byte === QUOTE) {
        while (at < limit) {
          const inner = bytes[at++]!;
          if (inner === QUOTE) break;
          if (inner === BACKSLASH) at++;
        }
      } else if (byte === 0x7b || byte === 0x5b) {
        open++;
      } else if (byte === 0x7d || byte === 0x5d) {
        if (--open === 0) return at;
      } else if (byte <= SPACE) {
        this.spaced = true;
      }
    }
    return limit;
  }

  /** The last token as text: decoded for KEY and STRING, as written for the rest. */
  text(): string {
    return this.escaped ? (JSON.parse(`"${this.#raw()}"`) as string) : this.#raw();
  }

  #raw(): string {
    const { start, end } = this;
    const bytes = this.#bytes;
    if (end - start <= SHORT_TEXT_BYTES) {
      let text = "";
      let at = start;
      for (; at < end; at++) {
        const byte = bytes[at]!;
        if (byte >= 0x80) break;
        text += String.fromCharCode(byte);
      }
      if (at === end) return text;
    }
    const buffer = this.#buffer;
    if (buffer.buffer !== bytes.buffer || buffer.byteOffset !== bytes.byteOffset || buffer.length !== bytes.length) {
      this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.#buffer.toString("utf8", start, end);
  }
}
