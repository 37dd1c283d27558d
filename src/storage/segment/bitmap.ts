/**
 * A set of rows of one segment: one bit a row in 32-bit words, over ordinary or shared memory.
 * The one idea by which document sets meet (filters, deletes, candidates); it never knows what a row means.
 */

const WORD_BITS = 32;

/** How `encodeBitmap` wrote the rows; the first byte of its output. */
const FORM_SPARSE = 0;
const FORM_SPARSE_COMPLEMENT = 1;
const FORM_WORDS = 2;

function popcount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Index of the lowest set bit of a word that is not zero. */
function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/**
 * ```ts
 * const even = Bitmap.create(10); even.set(2); even.set(4);
 * even.not().count(); // 8
 * ```
 * Bits beyond `rows` in the last word are always zero.
 */
export class Bitmap {
  readonly rows: number;
  readonly words: Uint32Array;
  /** How many rows are in it, told by who has counted them of a set that does not change any more. */
  readonly known: number | null;

  constructor(rows: number, words: Uint32Array, known: number | null = null) {
    if (words.length !== wordsFor(rows)) throw new RangeError(`${rows} rows do not fit ${words.length} words`);
    this.rows = rows;
    this.words = words;
    this.known = known;
  }

  static create(rows: number): Bitmap {
    return new Bitmap(rows, new Uint32Array(wordsFor(rows)));
  }

  static full(rows: number): Bitmap {
    const map = Bitmap.create(rows);
    map.fill();
    return map;
  }

  static of(rows: number, members: Iterable<number>): Bitmap {
    const map = Bitmap.create(rows);
    for (const row of members) map.set(row);
    return map;
  }

  has(row: number): boolean {
    return (this.words[row >>> 5]! & (1 << (row & 31))) !== 0;
  }

  set(row: number): void {
    this.words[row >>> 5]! |= 1 << (row & 31);
  }

  clear(row: number): void {
    this.words[row >>> 5]! &= ~(1 << (row & 31));
  }

  /** Sets `from <= row < to`, whole words at a time. */
  setRange(from: number, to: number): void {
    if (from >= to) return;
    const first = from >>> 5;
    const last = (to - 1) >>> 5;
    const head = -1 << (from & 31);
    const tail = -1 >>> (31 - ((to - 1) & 31));
    if (first === last) {
      this.words[first]! |= head & tail;
      return;
    }
    this.words[first]! |= head;
    this.words.fill(0xffffffff, first + 1, last);
    this.words[last]! |= tail;
  }

  fill(): void {
    this.words.fill(0xffffffff);
    this.#trim();
  }

  reset(): void {
    this.words.fill(0);
  }

  copy(): Bitmap {
    return new Bitmap(this.rows, new Uint32Array(this.words));
  }

  // In place: each returns `this`, so that steps can be chained without a copy.

  andWith(other: Bitmap): this {
    const a = this.words;
    const b = other.words;
    for (let i = 0; i < a.length; i++) a[i]! &= b[i]!;
    return this;
  }

  orWith(other: Bitmap): this {
    const a = this.words;
    const b = other.words;
    for (let i = 0; i < a.length; i++) a[i]! |= b[i]!;
    return this;
  }

  andNotWith(other: Bitmap): this {
    const a = this.words;
    const b = other.words;
    for (let i = 0; i < a.length; i++) a[i]! &= ~b[i]!;
    return this;
  }

  invert(): this {
    const a = this.words;
    for (let i = 0; i < a.length; i++) a[i] = ~a[i]!;
    this.#trim();
    return this;
  }

  // Copying.

  and(other: Bitmap): Bitmap {
    const a = this.words;
    const b = other.words;
    const both = new Uint32Array(a.length);
    for (let i = 0; i < a.length; i++) both[i] = a[i]! & b[i]!;
    return new Bitmap(this.rows, both);
  }

  or(other: Bitmap): Bitmap {
    return this.copy().orWith(other);
  }

  andNot(other: Bitmap): Bitmap {
    return this.copy().andNotWith(other);
  }

  not(): Bitmap {
    return this.copy().invert();
  }

  count(): number {
    const words = this.words;
    let total = 0;
    for (let i = 0; i < words.length; i++) {
      const word = words[i]!;
      if (word !== 0) total += popcount(word);
    }
    return total;
  }

  /** Number of set rows below `row`. */
  rank(row: number): number {
    const words = this.words;
    const whole = row >>> 5;
    let total = 0;
    for (let i = 0; i < whole; i++) total += popcount(words[i]!);
    const rest = row & 31;
    return rest === 0 ? total : total + popcount(words[whole]! & (-1 >>> (32 - rest)));
  }

  isEmpty(): boolean {
    const words = this.words;
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false;
    return true;
  }

  equals(other: Bitmap): boolean {
    if (this.rows !== other.rows) return false;
    const a = this.words;
    const b = other.words;
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
    return true;
  }

  /** The lowest set row, or -1. */
  first(): number {
    return this.next(0);
  }

  /** The lowest set row that is at least `from`, or -1. */
  next(from: number): number {
    if (from >= this.rows) return -1;
    const words = this.words;
    let index = from >>> 5;
    let word = words[index]! & (-1 << (from & 31));
    while (word === 0) {
      if (++index === words.length) return -1;
      word = words[index]!;
    }
    return (index << 5) + lowestBit(word);
  }

  /** Calls `visit` for every set row, ascending. */
  forEach(visit: (row: number) => void): void {
    const words = this.words;
    for (let i = 0; i < words.length; i++) {
      let word = words[i]!;
      const base = i << 5;
      while (word !== 0) {
        visit(base + lowestBit(word));
        word &= word - 1;
      }
    }
  }

  /** The set rows, ascending. */
  toArray(): Uint32Array {
    const rows = new Uint32Array(this.count());
    const words = this.words;
    let at = 0;
    for (let i = 0; i < words.length; i++) {
      let word = words[i]!;
      const base = i << 5;
      while (word !== 0) {
        rows[at++] = base + lowestBit(word);
        word &= word - 1;
      }
    }
    return rows;
  }

  #trim(): void {
    const rest = this.rows & 31;
    if (rest !== 0) this.words[this.words.length - 1]! &= -1 >>> (WORD_BITS - rest);
  }
}

export function wordsFor(rows: number): number {
  return Math.ceil(rows / WORD_BITS);
}

/**
 * Compact bytes for a manifest: form byte, then either ascending rows as varint gaps (of the members, or of the
 * missing rows when those are fewer) or the raw little-endian words, whichever is smallest. `rows` is not stored.
 */
export function encodeBitmap(map: Bitmap): Uint8Array {
  const members = map.count();
  const complement = members > map.rows - members;
  const listed = complement ? map.not() : map;
  const sparse = encodeGaps(listed, map.words.length * 4);
  if (sparse === null) {
    const out = new Uint8Array(1 + map.words.length * 4);
    out[0] = FORM_WORDS;
    const view = new DataView(out.buffer, 1);
    for (let i = 0; i < map.words.length; i++) view.setUint32(i * 4, map.words[i]!, true);
    return out;
  }
  sparse[0] = complement ? FORM_SPARSE_COMPLEMENT : FORM_SPARSE;
  return sparse;
}

/** Gaps after one spare byte for the form, or null when they would take more than `bytesMax`. */
function encodeGaps(map: Bitmap, bytesMax: number): Uint8Array | null {
  const out = new Uint8Array(bytesMax + 6);
  let at = 1;
  let previous = -1;
  for (let row = map.first(); row !== -1; row = map.next(row + 1)) {
    let gap = row - previous - 1;
    previous = row;
    while (gap > 127) {
      out[at++] = (gap & 127) | 128;
      gap >>>= 7;
    }
    out[at++] = gap;
    if (at > bytesMax + 1) return null;
  }
  return out.slice(0, at);
}

/** The set `encodeBitmap` wrote for a segment of that many rows. Throws RangeError on bytes that cannot be one. */
export function decodeBitmap(bytes: Uint8Array, rows: number): Bitmap {
  const map = Bitmap.create(rows);
  const form = bytes[0];
  if (form === FORM_WORDS) {
    if (bytes.length !== 1 + map.words.length * 4) throw new RangeError("bitmap bytes do not match the row count");
    const view = new DataView(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1);
    for (let i = 0; i < map.words.length; i++) map.words[i] = view.getUint32(i * 4, true);
    return map;
  }
  if (form !== FORM_SPARSE && form !== FORM_SPARSE_COMPLEMENT) throw new RangeError("unknown bitmap form");
  let row = -1;
  let at = 1;
  while (at < bytes.length) {
    let gap = 0;
    let shift = 0;
    let byte = 128;
    while (byte > 127) {
      if (at === bytes.length || shift > 28) throw new RangeError("bitmap bytes end inside a number");
      byte = bytes[at++]!;
      gap += (byte & 127) * 2 ** shift;
      shift += 7;
    }
    row += gap + 1;
    if (row >= rows) throw new RangeError("bitmap row beyond the segment");
    map.set(row);
  }
  return form === FORM_SPARSE ? map : map.invert();
}
