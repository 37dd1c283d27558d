/**
 * Reads the usual forms of `_vectors` straight from the bytes of a document, several times quicker than a JSON parser:
 * lists of numbers, lists of such lists, and either with `regenerate`. Whatever looks different, or wrong, it leaves to
 * others. Never says why.
 */

import { Buffer } from "node:buffer";
import type { EmbedderRule } from "../../settings/embedders.ts";

import { type GivenVectors, VECTORS_MAX } from "./parse.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
const BACKSLASH = 0x5c;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
const EMBEDDINGS = Buffer.from('{"embeddings":');
const REGENERATES = Buffer.from(',"regenerate":true}');
const REGENERATES_NOT = Buffer.from(',"regenerate":false}');

/** Whole numbers of up to this many digits, and these powers of ten, are exact as doubles. */
const DIGITS_MAX = 15;
const POWERS = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
/** More than the digits beyond the last that is looked at can be, as a share of the number. */
const CUT = 2e-14;

/** What one embedder is given by the document being read. */
interface Entry {
  rule: EmbedderRule;
  name: Buffer;
  /** Vectors side by side. As near to the number in the text as its single-precision form can tell. */
  numbers: Float64Array;
  count: number;
  regenerate: boolean;
  isGiven: boolean;
}

export class PlainVectors {
  readonly #entries: Entry[];
  #json: Buffer = Buffer.alloc(0);
  #at = 0;
  #value = 0;

  constructor(rules: readonly EmbedderRule[]) {
    this.#entries = rules.map((rule) => ({
      rule,
      name: Buffer.from(rule.name),
      numbers: new Float64Array(rule.dimensions),
      count: 0,
      regenerate: false,
      isGiven: false,
    }));
  }

  /** Reads `json[start, end)`, the object under `_vectors`, which is valid JSON; false when it is for others to read. */
  read(json: Buffer, start: number, end: number): boolean {
    this.#json = json;
    this.#at = start + 1;
    for (const entry of this.#entries) entry.isGiven = false;
    while (this.#entry()) {
      const next = json[this.#at++];
      if (next === OBJECT_END) return this.#at === end;
      if (next !== COMMA) return false;
    }
    return false;
  }

  /** What the embedder at this place among the rules was given; null when it is not mentioned. Good until the next `read`. */
  given(place: number): GivenVectors | null {
    const { count, isGiven, numbers, regenerate, rule } = this.#entries[place]!;
    if (!isGiven) return null;
    const { dimensions } = rule;
    const vectors = Array.from({ length: count }, (_, i) => numbers.subarray(i * dimensions, (i + 1) * dimensions));
    return { vectors, regenerate };
  }

  #entry(): boolean {
    const json = this.#json;
    if (json[this.#at] !== QUOTE) return false;
    const start = ++this.#at;
    while (json[this.#at] !== QUOTE) if (json[this.#at++] === BACKSLASH) return false;
    const end = this.#at++;
    if (json[this.#at++] !== COLON) return false;
    const entry = this.#entries.find(({ name }) => name.length === end - start && name.compare(json, start, end) === 0);
    if (entry === undefined || entry.isGiven) return false;
    entry.isGiven = true;
    entry.count = 0;
    entry.regenerate = false;
    if (json[this.#at] !== OBJECT_START) return this.#list(entry);
    return this.#skip(EMBEDDINGS) && this.#list(entry) && this.#regenerate(entry);
  }

  #regenerate(entry: Entry): boolean {
    entry.regenerate = this.#skip(REGENERATES);
    return entry.regenerate || this.#skip(REGENERATES_NOT);
  }

  #skip(text: Buffer): boolean {
    for (let i = 0; i < text.length; i++) if (this.#json[this.#at + i] !== text[i]) return false;
    this.#at += text.length;
    return true;
  }

  #list(entry: Entry): boolean {
    const json = this.#json;
    if (json[this.#at] !== LIST_START) return false;
    if (json[this.#at + 1] !== LIST_START) return this.#vector(entry);
    do {
      this.#at++;
      if (!this.#vector(entry)) return false;
    } while (json[this.#at] === COMMA);
    return json[this.#at++] === LIST_END;
  }

  #vector(entry: Entry): boolean {
    const json = this.#json;
    const { dimensions } = entry.rule;
    const start = entry.count * dimensions;
    if (json[this.#at] !== LIST_START || entry.count === VECTORS_MAX) return false;
    if (start + dimensions > entry.numbers.length) entry.numbers = grown(entry.numbers);
    const { numbers } = entry;
    for (let i = 0; i < dimensions; i++) {
      this.#at++;
      if (!this.#number()) return false;
      numbers[start + i] = this.#value;
      if (i + 1 < dimensions && json[this.#at] !== COMMA) return false;
    }
    entry.count++;
    return json[this.#at++] === LIST_END;
  }

  /** Leaves a number in `value` and stops behind it. */
  #number(): boolean {
    const json = this.#json;
    const start = this.#at;
    let at = start;
    const isNegative = json[at] === MINUS;
    if (isNegative) at++;
    let whole = 0;
    let digits = 0;
    let scale = 0;
    let isCut = false;
    let byte = json[at]!;
    if (byte < ZERO || byte > NINE) return false;
    for (let isFraction = false; ; byte = json[++at]!) {
      if (byte === POINT) {
        isFraction = true;
        continue;
      }
      if (byte < ZERO || byte > NINE) break;
      if (digits < DIGITS_MAX) {
        whole = whole * 10 + byte - ZERO;
        if (whole > 0) digits++;
        if (isFraction) scale++;
      } else {
        isCut = true;
        if (!isFraction) scale--;
      }
    }
    this.#at = at;
    if (byte === COMMA || byte === LIST_END) {
      if (scale >= 0 && scale < POWERS.length) {
        const value = whole / POWERS[scale]!;
        if (!isCut || Math.fround(value * (1 - CUT)) === Math.fround(value * (1 + CUT))) {
          this.#value = isNegative ? -value : value;
          return true;
        }
      }
    } else {
      // An exponent, or the end of what this reads.
      while (json[this.#at] !== COMMA && json[this.#at] !== LIST_END) if (++this.#at - at > DIGITS_MAX) return false;
    }
    this.#value = Number(json.toString("latin1", start, this.#at));
    return !Number.isNaN(this.#value);
  }
}

function grown(numbers: Float64Array): Float64Array {
  const more = new Float64Array(numbers.length * 2);
  more.set(numbers);
  return more;
}
