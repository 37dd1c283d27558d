/**
 * Positions grouped by ascending key, of which usually only the first few groups are wanted: a chunk of the smallest
 * keys is selected and sorted at a time, never everything.
 */

const FIRST_CHUNK = 256;
const GROWTH = 8;

export class KeyRuns {
  private readonly keys: Uint32Array;
  /** Positions not yet in a chunk, ascending. */
  private left: Uint32Array | null = null;
  private chunk: Uint32Array = new Uint32Array(0);
  private at = 0;
  private wanted = FIRST_CHUNK;
  private isFirst = true;

  constructor(keys: Uint32Array) {
    this.keys = keys;
    this.refill();
  }

  /** Of the group that comes next; null at the end. */
  get key(): number | null {
    return this.at < this.chunk.length ? this.keys[this.chunk[this.at]!]! : null;
  }

  /** The positions of the next group, ascending. */
  take(): Uint32Array {
    const from = this.at;
    const key = this.key;
    while (this.at < this.chunk.length && this.keys[this.chunk[this.at]!] === key) this.at++;
    const taken = this.chunk.slice(from, this.at);
    if (this.at === this.chunk.length) this.refill();
    return taken;
  }

  private refill(): void {
    const { keys } = this;
    this.at = 0;
    const count = this.isFirst ? keys.length : this.left!.length;
    const position = (i: number): number => (this.left === null ? i : this.left[i]!);
    if (count === 0) {
      this.chunk = new Uint32Array(0);
      return;
    }
    const bound = count <= this.wanted ? 0xffffffff : kthSmallest(this.remainingKeys(count), this.wanted);
    const taken: number[] = [];
    const later: number[] = [];
    for (let i = 0; i < count; i++) (keys[position(i)]! <= bound ? taken : later).push(position(i));
    this.chunk = Uint32Array.from(taken).sort((a, b) => keys[a]! - keys[b]! || a - b);
    this.left = Uint32Array.from(later);
    this.isFirst = false;
    this.wanted *= GROWTH;
  }

  private remainingKeys(count: number): Uint32Array {
    const { keys, left } = this;
    if (left === null) return keys.slice();
    const own = new Uint32Array(count);
    for (let i = 0; i < count; i++) own[i] = keys[left[i]!]!;
    return own;
  }
}

/** The k-th smallest, counting from 0; reorders `values`. */
function kthSmallest(values: Uint32Array, k: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >>> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const held = values[i]!;
      values[i++] = values[j]!;
      values[j--] = held;
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else break;
  }
  return values[k]!;
}
