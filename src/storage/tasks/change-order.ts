/**
 * The order in which tasks, or batches, changed: a ring of uids. Whoever follows keeps the number of the last change that he
 * knows, so a follower costs nothing here however slow he is. Of several changes of one uid only the last one counts.
 */
export class ChangeOrder {
  readonly #uids: Uint32Array;
  /** The last change of a uid, at the place that its lower bits name: neighbours in time have neighbouring uids. */
  readonly #lastUids: Uint32Array;
  readonly #lastChanges: Float64Array;
  readonly #mask: number;
  #end = 0;

  /** `size`: how many changes are remembered; a power of two. */
  constructor(size: number) {
    if (size < 1 || (size & (size - 1)) !== 0) throw new Error(`${size} is no power of two`);
    this.#uids = new Uint32Array(size);
    this.#lastUids = new Uint32Array(size);
    this.#lastChanges = new Float64Array(size).fill(-1);
    this.#mask = size - 1;
  }

  /** Number of the next change; those before it have happened. */
  get end(): number {
    return this.#end;
  }

  /** Number of the first change that is remembered. */
  get begin(): number {
    return Math.max(0, this.#end - this.#uids.length);
  }

  add(uid: number): void {
    const place = uid & this.#mask;
    this.#uids[this.#end & this.#mask] = uid;
    this.#lastUids[place] = uid;
    this.#lastChanges[place] = this.#end++;
  }

  /** Of a change that is remembered; null when the same one changed again later, which is what counts then. */
  uidOf(change: number): number | null {
    const uid = this.#uids[change & this.#mask]!;
    const place = uid & this.#mask;
    return this.#lastUids[place] === uid && this.#lastChanges[place] !== change ? null : uid;
  }
}
