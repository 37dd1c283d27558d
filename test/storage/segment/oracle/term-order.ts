/**
 * Sorts spellings by their bytes: five bytes at a time become one 64-bit number together with the place of the spelling,
 * so that the engine's own number sort does the work; only spellings equal in those bytes are looked at again.
 */

const BYTES_PER_ROUND = 5;
const PLACE_BITS = 24;
const PLACE_MASK = (1 << PLACE_BITS) - 1;
/** Groups up to this size are sorted by insertion. */
const SMALL_GROUP = 24;
/** No word is longer. */
const SPELLING_BYTES_MAX = 250;

/** Numbers of the spellings `pool[starts[i], starts[i] + lengths[i])`, i < count, in byte order. */
export function sortTerms(pool: Uint8Array, starts: Uint32Array, lengths: Uint8Array, count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  new Sorter(pool, starts, lengths, order).sort(0, count, 0);
  return order;
}

class Sorter {
  readonly #pool: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #lengths: Uint8Array;
  readonly #order: Uint32Array;

  constructor(pool: Uint8Array, starts: Uint32Array, lengths: Uint8Array, order: Uint32Array) {
    this.#pool = pool;
    this.#starts = starts;
    this.#lengths = lengths;
    this.#order = order;
  }

  /** Sorts `order[from, to)`, whose spellings are equal in their first `depth` bytes. */
  sort(from: number, to: number, depth: number): void {
    const count = to - from;
    if (count <= SMALL_GROUP || depth > SPELLING_BYTES_MAX) {
      this.#insert(from, to, depth);
      return;
    }
    if (count > PLACE_MASK) {
      this.#order.subarray(from, to).sort((a, b) => this.#compare(a, b, depth));
      return;
    }
    const order = this.#order;
    const group = order.slice(from, to);
    const keys = new BigUint64Array(count);
    const halves = new Uint32Array(keys.buffer);
    for (let i = 0; i < count; i++) this.#writeKey(halves, i, group[i]!, depth);
    keys.sort();
    let groupStart = 0;
    for (let i = 0; i < count; i++) {
      order[from + i] = group[halves[2 * i]! & PLACE_MASK]!;
      if (i > 0 && !sameBytes(halves, i - 1, i)) {
        if (i - groupStart > 1) this.sort(from + groupStart, from + i, depth + BYTES_PER_ROUND);
        groupStart = i;
      }
    }
    if (count - groupStart > 1) this.sort(from + groupStart, to, depth + BYTES_PER_ROUND);
  }

  /** Little-endian: the low half holds the fifth byte and the place, the high half the first four bytes. */
  #writeKey(halves: Uint32Array, place: number, term: number, depth: number): void {
    const pool = this.#pool;
    const start = this.#starts[term]!;
    const end = start + this.#lengths[term]!;
    let at = start + depth;
    let high = 0;
    for (let shift = 24; shift >= 0; shift -= 8) if (at < end) high |= pool[at++]! << shift;
    halves[2 * place + 1] = high;
    halves[2 * place] = ((at < end ? pool[at]! : 0) << PLACE_BITS) | place;
  }

  #insert(from: number, to: number, depth: number): void {
    const order = this.#order;
    for (let i = from + 1; i < to; i++) {
      const term = order[i]!;
      let at = i;
      while (at > from && this.#compare(order[at - 1]!, term, depth) > 0) {
        order[at] = order[at - 1]!;
        at--;
      }
      order[at] = term;
    }
  }

  #compare(a: number, b: number, depth: number): number {
    const lengths = this.#lengths;
    const pool = this.#pool;
    const starts = this.#starts;
    const aEnd = starts[a]! + lengths[a]!;
    const bEnd = starts[b]! + lengths[b]!;
    let i = starts[a]! + depth;
    let j = starts[b]! + depth;
    while (i < aEnd && j < bEnd) {
      const difference = pool[i++]! - pool[j++]!;
      if (difference !== 0) return difference;
    }
    return lengths[a]! - lengths[b]!;
  }
}

function sameBytes(halves: Uint32Array, a: number, b: number): boolean {
  return halves[2 * a + 1] === halves[2 * b + 1] && (halves[2 * a]! ^ halves[2 * b]!) >>> PLACE_BITS === 0;
}
