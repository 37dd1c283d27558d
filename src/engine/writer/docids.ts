/**
 * Which internal document ids are taken. New documents always get the smallest free number, so ids stay dense and
 * an id that was freed may be given to a later document. One set per index, rebuilt from its segments at start.
 */

const WORD_BITS = 32;

export class DocidSet {
  #words = new Uint32Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(docid: number): boolean {
    const word = docid >>> 5;
    return word < this.#words.length && ((this.#words[word]! >>> (docid & 31)) & 1) === 1;
  }

  add(docid: number): void {
    const word = docid >>> 5;
    if (word >= this.#words.length) this.#grow(word + 1);
    const bit = 1 << (docid & 31);
    if ((this.#words[word]! & bit) !== 0) return;
    this.#words[word]! |= bit;
    this.#size++;
  }

  addAll(docids: Int32Array): void {
    for (let i = 0; i < docids.length; i++) this.add(docids[i]!);
  }

  delete(docid: number): void {
    const word = docid >>> 5;
    if (word >= this.#words.length) return;
    const bit = 1 << (docid & 31);
    if ((this.#words[word]! & bit) === 0) return;
    this.#words[word]! &= ~bit;
    this.#size--;
  }

  clear(): void {
    this.#words.fill(0);
    this.#size = 0;
  }

  /** Free numbers in ascending order, as they stand when the batch begins: what it frees is not reused within it. */
  free(): FreeDocids {
    return new FreeDocids(this.#words.slice());
  }

  #grow(wordsNeeded: number): void {
    const grown = new Uint32Array(Math.max(wordsNeeded, this.#words.length * 2));
    grown.set(this.#words);
    this.#words = grown;
  }
}

export class FreeDocids {
  readonly #taken: Uint32Array;
  #next = 0;

  constructor(taken: Uint32Array) {
    this.#taken = taken;
  }

  /** Numbers for the places from `first` up to `end` of a list. */
  takeAll(list: Int32Array, first: number, end: number): void {
    let place = first;
    while (place < end && this.#next >>> 5 < this.#taken.length) list[place++] = this.take();
    for (; place < end; place++) list[place] = this.#next++;
  }

  take(): number {
    const taken = this.#taken;
    let docid = this.#next;
    let word = docid >>> 5;
    while (word < taken.length) {
      // Bits below the cursor count as taken, so that a word is looked at once per free bit and skipped when full.
      const free = ~taken[word]! & (-1 << (docid & 31));
      if (free !== 0) {
        docid = word * WORD_BITS + (31 - Math.clz32(free & -free));
        break;
      }
      word++;
      docid = word * WORD_BITS;
    }
    this.#next = docid + 1;
    return docid;
  }
}
