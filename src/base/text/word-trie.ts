/**
 * A dictionary as a trie in flat arrays: which words begin at this place of a text? Immutable once built.
 *
 * node        0    1   2   3          Nodes are numbered breadth-first, so the children of a node
 * label       -    a   b   c          are neighbours, sorted by label:
 * children   [1    3   …]             children of n = nodes firstChild[n] .. firstChild[n + 1] - 1
 */

export const ROOT = 0;

/**
 * Words sorted by UTF-16 unit, without duplicates, a line each: its first character tells how many units the word shares
 * with the word before, the others follow those.
 */
export interface FrontCoded {
  text: string;
  /** The lines are `text.slice(start, end)`. */
  start: number;
  end: number;
}

/** Code of the character that stands for "shares nothing". */
const NOTHING_SHARED = 0x21;
const LINE_FEED = 0x0a;
const WORD_UNITS_MAX = 256;

/** Visits each word by its number: the first `length` of `units`, of which `from` are those of the word before. */
type WordVisitor = (word: number, from: number, units: Uint16Array, length: number) => void;

function eachWord({ text, start, end }: FrontCoded, visit: WordVisitor): void {
  const units = new Uint16Array(WORD_UNITS_MAX);
  let length = 0;
  let word = 0;
  for (let at = start; at < end; at++) {
    let to = text.charCodeAt(at++) - NOTHING_SHARED;
    // Characters of two units are never cut in two: they may share their first one all the same.
    while (to < length && at < end && text.charCodeAt(at) === units[to]) {
      to++;
      at++;
    }
    const from = to;
    for (; at < end && text.charCodeAt(at) !== LINE_FEED; at++) units[to++] = text.charCodeAt(at);
    length = to;
    visit(word++, from, units, length);
  }
}

/** The number of the first node of each depth; the last number is how many nodes there are. */
function levelStarts(words: FrontCoded): number[] {
  const counts = new Uint32Array(WORD_UNITS_MAX + 1);
  let deepest = 0;
  counts[0] = 1;
  eachWord(words, (_, from, _units, length) => {
    for (let depth = from + 1; depth <= length; depth++) counts[depth]!++;
    if (length > deepest) deepest = length;
  });
  const starts = [0];
  for (let depth = 0; depth <= deepest; depth++) starts.push(starts[depth]! + counts[depth]!);
  return starts;
}

/** Units of which each has a child of the root, 0 if none: the root is too wide to search. */
const UNITS = 0x10000;
const HEAD_WORDS = 2;

export class WordTrie {
  /** All of it, the number of nodes first: what `in` takes. */
  readonly bytes: Uint8Array;
  readonly #firstChild: Int32Array;
  readonly #values: Uint32Array;
  readonly #rootChild: Int32Array;
  readonly #labels: Uint16Array;

  private constructor(bytes: Uint8Array, nodes: number) {
    this.bytes = bytes;
    const { buffer } = bytes;
    let at = bytes.byteOffset + HEAD_WORDS * 4;
    const next = (length: number): number => {
      const start = at;
      at += length;
      return start;
    };
    this.#firstChild = new Int32Array(buffer, next((nodes + 1) * 4), nodes + 1);
    this.#values = new Uint32Array(buffer, next(nodes * 4), nodes);
    this.#rootChild = new Int32Array(buffer, next(UNITS * 4), UNITS);
    this.#labels = new Uint16Array(buffer, next(nodes * 2), nodes);
  }

  /** One that was built before. */
  static in(bytes: Uint8Array): WordTrie {
    return new WordTrie(bytes, new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0]!);
  }

  /** `values`, one for each word, are above 0; all 1 by default. */
  static of(words: FrontCoded, values?: ArrayLike<number>): WordTrie {
    const levels = levelStarts(words);
    const nodes = levels.at(-1)!;
    const bytes = new Uint8Array((HEAD_WORDS + 1 + UNITS) * 4 + nodes * (4 + 4 + 2));
    new Uint32Array(bytes.buffer, 0, 1)[0] = nodes;
    const trie = new WordTrie(bytes, nodes);
    trie.#fill(words, values, levels);
    return trie;
  }

  #fill(words: FrontCoded, values: ArrayLike<number> | undefined, levels: readonly number[]): void {
    const nodes = levels.at(-1)!;
    // By length of beginning: how many nodes there are so far, and the one on the way to the word.
    const next = [...levels, nodes];
    const way = new Int32Array(next.length);
    this.#firstChild[ROOT] = 1;
    next[0] = 1;
    eachWord(words, (word, from, units, length) => {
      for (let depth = from + 1; depth <= length; depth++) {
        const node = next[depth]!++;
        way[depth] = node;
        this.#labels[node] = units[depth - 1]!;
        this.#firstChild[node] = next[depth + 1]!;
      }
      this.#values[way[length]!] = values?.[word] ?? 1;
    });
    this.#firstChild[nodes] = nodes;
    for (let node = this.#firstChild[ROOT]!; node < this.#firstChild[ROOT + 1]!; node++) {
      this.#rootChild[this.#labels[node]!] = node;
    }
  }

  /** The sum of all values. */
  get total(): number {
    return this.#values.reduce((sum, value) => sum + value, 0);
  }

  /** The node one unit further, or 0 if no word goes on like this. */
  child(node: number, unit: number): number {
    if (node === ROOT) return this.#rootChild[unit]!;
    let low = this.#firstChild[node]!;
    let high = this.#firstChild[node + 1]! - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const label = this.#labels[middle]!;
      if (label === unit) return middle;
      if (label < unit) low = middle + 1;
      else high = middle - 1;
    }
    return 0;
  }

  /** Value of the word that ends at a node, 0 if none does. */
  value(node: number): number {
    return this.#values[node]!;
  }

  has(text: string, start: number, end: number): boolean {
    let node = ROOT;
    for (let at = start; at < end; at++) {
      node = this.child(node, text.charCodeAt(at));
      if (node === 0) return false;
    }
    return this.#values[node]! > 0;
  }

  /** End of the longest word that begins at `start`, or -1. */
  longest(text: string, start: number, end: number): number {
    let node = ROOT;
    let found = -1;
    for (let at = start; at < end; at++) {
      node = this.child(node, text.charCodeAt(at));
      if (node === 0) break;
      if (this.#values[node]! > 0) found = at + 1;
    }
    return found;
  }
}
