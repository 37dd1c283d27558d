/**
 * A dictionary of morphemes in one buffer that threads share: words with their costs, the cost of one word after another,
 * and what to do with characters that no word covers. Here is where things lie; `morpheme-decoder.ts` fills the tables.
 *
 * words    a trie over UTF-16 units, nodes numbered level by level: the children of a node lie side by side in the order
 * of their units, and end where those of the next node begin
 * entries  what a word may be, one after the other: a kind (how it goes with its neighbours) and a cost
 * matrix   the cost of two neighbours, at row of the second * columns + column of the first
 */

/** How many there are of each. */
interface TableSizes {
  nodes: number;
  entries: number;
  kinds: number;
  rows: number;
  columns: number;
  rightIds: number;
  categories: number;
}

/** Of the node at which all words begin. */
export const ROOT = 0;
/** In a kind: another entry of the same word follows. */
export const MORE_ENTRIES = 0x8000;
/** The category of what the table of characters does not tell about. */
export const DEFAULT_CATEGORY = 0;
/** Stands for "no category". */
export const NO_CATEGORY = 255;
export const UNITS = 0x10000;

/** Before the tables: whether they are complete, then their sizes. */
const HEAD_WORDS = 8;
const COMPLETE = 1;

export class MorphemeTables {
  readonly sizes: Readonly<TableSizes>;

  // By node.
  /** Where its children begin; one more for where those of the last one end. */
  readonly firstChild: Uint32Array;
  /** One more than the first entry of the word that ends here, 0 if none does. */
  readonly firstEntry: Uint32Array;
  readonly unit: Uint16Array;

  // By entry.
  readonly kind: Uint16Array;
  readonly cost: Int16Array;

  // By kind.
  readonly rowOfKind: Uint16Array;
  readonly rightIdOfKind: Uint16Array;

  readonly matrix: Int16Array;
  /** By right id. Several may have the same column, yet words are told apart by their right ids. */
  readonly columnOf: Uint16Array;

  // By UTF-16 unit.
  /** The node after it as first unit of a word, 0 if no word begins so. */
  readonly nodeAfter: Uint16Array;
  /** First and, for a few characters, second category. */
  readonly category: Uint8Array;
  readonly secondCategory: Uint8Array;

  // By category.
  /** As `firstEntry`, of words made of its characters that the dictionary does not know. */
  readonly unknownEntry: Uint32Array;
  /** 1 if its unknown words are considered even where the dictionary knows one. */
  readonly invoke: Uint8Array;
  /** 1 if its characters that follow each other are one unknown word. */
  readonly group: Uint8Array;

  /** All of them, with what stands before them. */
  readonly bytes: Uint8Array;

  constructor(buffer: ArrayBufferLike, sizes: TableSizes) {
    this.sizes = sizes;
    const { nodes, entries, kinds, rows, columns, rightIds, categories } = sizes;
    let at = HEAD_WORDS * 4;
    // Widest numbers first: so every table begins at a multiple of what its numbers take.
    const next = (bytes: number): number => {
      const start = at;
      at += bytes;
      return start;
    };
    this.firstChild = new Uint32Array(buffer, next((nodes + 1) * 4), nodes + 1);
    this.firstEntry = new Uint32Array(buffer, next(nodes * 4), nodes);
    this.unknownEntry = new Uint32Array(buffer, next(categories * 4), categories);
    this.unit = new Uint16Array(buffer, next(nodes * 2), nodes);
    this.kind = new Uint16Array(buffer, next(entries * 2), entries);
    this.cost = new Int16Array(buffer, next(entries * 2), entries);
    this.rowOfKind = new Uint16Array(buffer, next(kinds * 2), kinds);
    this.rightIdOfKind = new Uint16Array(buffer, next(kinds * 2), kinds);
    this.matrix = new Int16Array(buffer, next(rows * columns * 2), rows * columns);
    this.columnOf = new Uint16Array(buffer, next(rightIds * 2), rightIds);
    this.nodeAfter = new Uint16Array(buffer, next(UNITS * 2), UNITS);
    this.category = new Uint8Array(buffer, next(UNITS), UNITS);
    this.secondCategory = new Uint8Array(buffer, next(UNITS), UNITS);
    this.invoke = new Uint8Array(buffer, next(categories), categories);
    this.group = new Uint8Array(buffer, next(categories), categories);
    this.bytes = new Uint8Array(buffer, 0, at);
  }

  /** The tables that some thread has completed in a buffer; null before that. */
  static in(buffer: ArrayBufferLike): MorphemeTables | null {
    const head = new Int32Array(buffer, 0, HEAD_WORDS);
    if (Atomics.load(head, 0) !== COMPLETE) return null;
    let at = 0;
    return new MorphemeTables(
      buffer,
      sizesFrom(() => head[++at]!),
    );
  }

  /** Complete tables from elsewhere, `bytes` of the same dictionary, in a buffer that several threads may put them into. */
  static put(bytes: Uint8Array, buffer: ArrayBufferLike): MorphemeTables {
    if (bytes.buffer !== buffer) {
      const flag = Int32Array.BYTES_PER_ELEMENT;
      new Uint8Array(buffer).set(bytes.subarray(flag), flag);
      Atomics.store(new Int32Array(buffer, 0, 1), 0, COMPLETE);
    }
    return MorphemeTables.in(buffer)!;
  }

  /** Shows the tables to all threads. */
  complete(): void {
    const head = new Int32Array(this.matrix.buffer, 0, HEAD_WORDS);
    head.set(sizesInOrder(this.sizes), 1);
    Atomics.store(head, 0, COMPLETE);
  }

  /** The node one unit further, or 0. */
  child(node: number, unit: number): number {
    const units = this.unit;
    let low = this.firstChild[node]!;
    let high = this.firstChild[node + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = units[middle]!;
      if (found === unit) return middle;
      if (found < unit) low = middle + 1;
      else high = middle;
    }
    return 0;
  }

  /** The node one character further, or 0. */
  childCharacter(node: number, character: number): number {
    if (character < 0x10000) return this.child(node, character);
    const half = this.child(node, 0xd7c0 + (character >> 10));
    return half === 0 ? 0 : this.child(half, 0xdc00 | (character & 0x3ff));
  }
}

/** As they are written before the tables, and in files. */
export function sizesInOrder({ nodes, entries, kinds, rows, columns, rightIds, categories }: TableSizes): number[] {
  return [nodes, entries, kinds, rows, columns, rightIds, categories];
}

/** What `sizesInOrder` has told, number by number. */
export function sizesFrom(next: () => number): TableSizes {
  return {
    nodes: next(),
    entries: next(),
    kinds: next(),
    rows: next(),
    columns: next(),
    rightIds: next(),
    categories: next(),
  };
}
