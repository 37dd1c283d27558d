/**
 * Bodies of documents that a thread read lately, so that those found again and again need no system call each. A ring of
 * bytes, the oldest of which are overwritten, and a table that says where a body is. It never knows what a body means.
 *
 * ```
 *   table   slot of (owner, row) -> owner, row, position          a body that hashes to the same slot takes its place
 *   bytes   [ newer |head| older ... ]                            positions grow for ever, place = position mod size
 * ```
 * A body is still there when less than the size of the ring was written since its position.
 */
const SLOT_BITS = 15;

export class LatelyRead {
  readonly bytes: Uint8Array;
  readonly #bodyBytesMax: number;
  readonly #owners = new Uint32Array(1 << SLOT_BITS);
  readonly #rows = new Uint32Array(1 << SLOT_BITS);
  readonly #positions = new Float64Array(1 << SLOT_BITS);
  #head = 0;
  #lastOwner = 0;

  /** A body longer than `bodyBytesMax` would drive out too many others. */
  constructor(bytes: Uint8Array, bodyBytesMax: number) {
    this.bytes = bytes;
    this.#bodyBytesMax = Math.min(bodyBytesMax, bytes.length);
  }

  /** A number for a file, never given twice. */
  newOwner(): number {
    return ++this.#lastOwner;
  }

  /** Where in `bytes` the body of a row is, -1 when it is not there. */
  find(owner: number, row: number): number {
    const slot = slotOf(owner, row);
    if (this.#owners[slot] !== owner || this.#rows[slot] !== row) return -1;
    const position = this.#positions[slot]!;
    return this.#head - position > this.bytes.length ? -1 : position % this.bytes.length;
  }

  /** Room in `bytes` for a body that is to be written there now; -1 for one that is too long to be kept. */
  add(owner: number, row: number, length: number): number {
    if (length > this.#bodyBytesMax) return -1;
    const left = this.bytes.length - (this.#head % this.bytes.length);
    const position = length <= left ? this.#head : this.#head + left;
    const slot = slotOf(owner, row);
    this.#owners[slot] = owner;
    this.#rows[slot] = row;
    this.#positions[slot] = position;
    this.#head = position + length;
    return position % this.bytes.length;
  }

  /** The body could not be written after all. */
  forget(owner: number, row: number): void {
    const slot = slotOf(owner, row);
    if (this.#owners[slot] === owner && this.#rows[slot] === row) this.#owners[slot] = 0;
  }
}

function slotOf(owner: number, row: number): number {
  return Math.imul(row + Math.imul(owner, 0x85ebca6b), 0x9e3779b1) >>> (32 - SLOT_BITS);
}
