/**
 * How much work a JSON text makes, found without reading it: one pass over its bytes that counts what parsing and checking
 * are going to visit. Whether it is JSON at all is not asked; of what is none, the counts mean little.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Counts as it goes over the bytes, in as many steps as one likes. */
export class JsonScale {
  readonly #bytes: Uint8Array;
  #at = 0;
  #inText = false;
  #depth = 0;
  /** Levels of lists and objects. */
  deepest = 0;
  /** Elements of lists and members of objects, about. */
  values = 0;
  texts = 0;
  objects = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Goes over so many bytes more; false when it is through. */
  step(count: number): boolean {
    const bytes = this.#bytes;
    const end = Math.min(bytes.length, this.#at + count);
    let at = this.#at;
    let inText = this.#inText;
    let depth = this.#depth;
    let { deepest, values, texts, objects } = this;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (inText) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) inText = false;
      } else if (byte === COMMA) values++;
      else if (byte === QUOTE) {
        inText = true;
        texts++;
      } else if (byte < OPEN_LIST) {
        // Blanks, colons, digits, signs.
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        values++;
        if (byte === OPEN_OBJECT) objects++;
        if (++depth > deepest) deepest = depth;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    }
    this.#at = at;
    this.#inText = inText;
    this.#depth = depth;
    this.deepest = deepest;
    this.values = values;
    this.texts = texts;
    this.objects = objects;
    return at < bytes.length;
  }
}

/** What the parts of a body cost to read and check, in microseconds, about; objects are dearest, each may be a query. */
const BYTE_US = 0.1;
const VALUE_US = 1;
const TEXT_US = 3;
const OBJECT_US = 50;

/** Shorter ones cannot be heavy, nor nested deeply enough to matter. */
const WEIGHTLESS_BYTES = 1024;

export function workOf(scale: JsonScale, bytes: number): number {
  return bytes * BYTE_US + scale.values * VALUE_US + scale.texts * TEXT_US + scale.objects * OBJECT_US;
}

export function isWeightless(bytes: Uint8Array): boolean {
  return bytes.length <= WEIGHTLESS_BYTES;
}
